import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";

export type ToolRun = { readonly exitCode: number; readonly output: string };

/** Runs a program of node_modules/.bin with the project's own Node and keeps what it prints. */
export function runTool(
  root: string,
  command: readonly [string, ...string[]],
  env: Readonly<Record<string, string>> = {},
): Promise<ToolRun> {
  const [program, ...args] = command;
  const bin = join(root, "node_modules", ".bin");
  const path = `${bin}${delimiter}${process.env["PATH"] ?? ""}`;
  return new Promise((resolve, reject) => {
    const child = spawn(join(bin, program), args, {
      cwd: root,
      env: { ...process.env, NO_COLOR: "1", ...env, PATH: path },
      stdio: ["ignore", "pipe", "pipe"],
    });
    // Kept apart and put together at the end, or the two would break into each other's lines.
    const printed = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed.stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      printed.stderr += text;
    });
    child.on("error", reject);
    child.on("close", (code) => {
      const output = `${printed.stderr.trim()}\n${printed.stdout.trim()}`.trim();
      // A tool that was killed has not passed.
      resolve({ exitCode: code ?? 1, output });
    });
  });
}
