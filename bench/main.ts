/** `npm run bench -- <name> [options]`; which there are, and how to read it: bench/README.md. */
import { benchList } from "./bench-list.ts";
import { exitCodes, runCommandLine } from "./harness/command-line.ts";

// The folder is removed when the process exits; a signal alone would skip that.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => process.exit(exitCodes.notRun));
}

process.exitCode = await runCommandLine({
  args: process.argv.slice(2),
  benches: benchList,
  root: process.cwd(),
  print: (text) => console.log(text),
  tell: (text) => console.error(text),
});
