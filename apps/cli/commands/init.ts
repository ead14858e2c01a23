import { cpSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { print } from "../print.ts";
import { UsageError } from "../store-place.ts";

const starter = fileURLToPath(new URL("../starter/", import.meta.url));

/** By what they are called here, where their own name would already mean something. */
const namedOtherwise: Readonly<Record<string, string>> = { "gitignore.txt": ".gitignore" };

export function initCommand(): Command {
  return new Command("init")
    .argument("[folder]", "where; it is made if it is not there", ".")
    .option("--json", "one line of JSON", false)
    .addHelpText("after", "\nExample:\n  holdfast init my-orders && cd my-orders && holdfast dev")
    .action(run);
}

function run(given: string, { json }: { readonly json: boolean }): void {
  const folder = resolve(given);
  const files = readdirSync(starter).map((name) => ({
    from: join(starter, name),
    to: join(folder, namedOtherwise[name] ?? name),
  }));
  const there = files.map(({ to }) => to).find((path) => existsSync(path));
  if (there !== undefined) {
    throw new UsageError(`${there} is there already, and nothing was written. Name a new folder.`);
  }
  write(folder, files);
  const names = files.map(({ to }) => relative(folder, to));
  const go = given === "." ? "" : `cd ${given}\n`;
  print(json, { folder, files: names }, () => {
    return `Made ${folder} with ${names.join(", ")}. Now:\n${go}npx holdfast dev`;
  });
}

type Copied = { readonly from: string; readonly to: string };

/** What came to be there meanwhile is left as it is. */
function write(folder: string, files: readonly Copied[]): void {
  try {
    mkdirSync(folder, { recursive: true });
    for (const { from, to } of files) cpSync(from, to, { errorOnExist: true, force: false });
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    throw new UsageError(`${folder} cannot be written (${code || message}). Name another folder.`);
  }
}
