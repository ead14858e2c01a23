import { type Problem, Sandbox, validate } from "@holdfast/sandbox";
import { Command } from "commander";
import { readScript } from "../read-script.ts";
import { exitCodes } from "../report-error.ts";

export function validateCommand(): Command {
  return new Command("validate")
    .argument("<file>", "the script; files it imports are taken from its folder")
    .option("--json", "one line of JSON: manifest and problems", false)
    .action(run);
}

async function run(file: string, { json }: { readonly json: boolean }): Promise<void> {
  const source = readScript(file);
  const sandbox = await Sandbox.open({ threadsMax: 1 });
  try {
    const { manifest, problems } = await validate(source, (script) => sandbox.inspect(script));
    if (json) console.log(JSON.stringify({ manifest, problems }));
    else console.log(report(file, problems));
    const isFaulty = problems.some(({ severity }) => severity === "error");
    process.exitCode = isFaulty ? exitCodes.problems : exitCodes.ok;
  } finally {
    await sandbox.close();
  }
}

/** Why no script could be run here; null = one was. */
export async function trySandbox(): Promise<string | null> {
  const text = 'export default { name: "nothing", topics: {}, producers: {}, consumers: {} };';
  try {
    const sandbox = await Sandbox.open({ threadsMax: 1 });
    try {
      const source = { entry: "nothing.js", files: { "nothing.js": text } };
      const { manifest } = await validate(source, (script) => sandbox.inspect(script));
      return manifest === null ? "a script without a fault was not understood" : null;
    } finally {
      await sandbox.close();
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function report(file: string, problems: readonly Problem[]): string {
  const count = (severity: Problem["severity"]) =>
    problems.filter((problem) => problem.severity === severity).length;
  const [errors, warnings] = [count("error"), count("warning")];
  const verdict =
    errors === 0 ? `${file} can be deployed` : `${file} cannot be deployed: ${counted(errors)}`;
  const also = warnings === 0 ? "." : `, with ${warnings} warning${warnings === 1 ? "" : "s"}.`;
  return [...problems.map(shown), `${verdict}${also}`].join("\n");
}

function counted(errors: number): string {
  return errors === 1 ? "1 error" : `${errors} errors`;
}

function shown({ file, line, column, severity, code, cause, hint, docs }: Problem): string {
  return `${file}:${line}:${column}  ${severity}  ${code}\n  ${cause}\n  ${hint}\n  See ${docs}`;
}
