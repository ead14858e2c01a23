/** `npm start`: a host with an example that shows what it does. `--help` has the words. */
import { exitCodes, reportError, reportUsage } from "../report-error.ts";
import { UsageError } from "../store-place.ts";
import { runChaos } from "./chaos.ts";
import { help, readOptions } from "./options.ts";
import { show } from "./show.ts";

async function run(words: readonly string[]): Promise<number> {
  const options = readOptions(words);
  if (options === null) {
    console.log(help);
    return 0;
  }
  const stop = stopAsked();
  const { chaos } = options;
  return chaos === null ? show(options, stop) : runChaos({ ...options, chaos }, stop);
}

/** npm hands a signal on that the terminal has sent here too; on a busy machine, much later. */
const signalsOfOne = process.env["npm_lifecycle_event"] === "start" ? 2 : 1;
/** Some versions of npm hand it on twice; nobody presses the keys again so soon. */
const oneForMs = 1_000;

/** Who asks again ends this process at once; the host notices and stops by itself. */
function stopAsked(): AbortSignal {
  const stop = new AbortController();
  let [signals, firstAt] = [0, 0];
  const onSignal = () => {
    signals += 1;
    if (signals === 1) firstAt = performance.now();
    const isLater = performance.now() - firstAt > oneForMs;
    if (isLater && signals > signalsOfOne) process.exit(exitCodes.failed);
    stop.abort();
  };
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, onSignal);
  return stop.signal;
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  const isUsage = error instanceof UsageError;
  process.exitCode = isUsage ? reportUsage(error.message, false) : reportError(error, false);
}
