import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

export const cli = fileURLToPath(new URL("../holdfast.js", import.meta.url));
export const server = fileURLToPath(new URL("../../server/main.ts", import.meta.url));

export type Ended = {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
};

/** Which store the program is to use; an empty variable counts as none. */
export type Stores = { readonly data?: string; readonly url?: string };

/** The real program in a process of its own; the test goes on answering others meanwhile. */
export async function runProgram(
  program: string,
  { data = "", url = "" }: Stores,
  ...args: readonly string[]
): Promise<Ended> {
  const env = { ...process.env, HOLDFAST_DATA: data, HOLDFAST_POSTGRES_URL: url };
  const child = spawn(process.execPath, [program, ...args], { env });
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { status, stdout, stderr };
}
