import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const script = fileURLToPath(new URL("./child-main.ts", import.meta.url));

export type Child = {
  readonly process: ChildProcess;
  /** What the child says next, one JSON value per line; null = it has ended. */
  readonly hear: () => Promise<unknown>;
};

export type ChildOptions = {
  /** Runs as nobody, so that file permissions count even when the tests run as root. */
  readonly unprivileged?: true;
  /** No file may grow beyond this; a write past it is an I/O error, not the end of the process. */
  readonly fileKibMax?: number;
};

const nobody = 65_534;

/** A real second process on the same folder. */
export function startChild(
  task: string,
  folder: string,
  { unprivileged, fileKibMax }: ChildOptions = {},
): Child {
  const node = [process.execPath, script, task, folder];
  const [command = "", ...args] =
    fileKibMax === undefined
      ? node
      : ["bash", "-c", `trap "" XFSZ; ulimit -f ${fileKibMax}; exec "$@"`, "bash", ...node];
  const asNobody = unprivileged && process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"], ...asNobody });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const hear = async (): Promise<unknown> => {
    const { value, done } = await lines.next();
    return done ? null : JSON.parse(value);
  };
  return { process: child, hear };
}

export async function killChild({ process: child }: Child): Promise<void> {
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

export { nobody };
