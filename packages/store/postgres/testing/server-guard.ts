import { spawn } from "node:child_process";
import { Socket } from "node:net";
import type { Writable } from "node:stream";

/**
 * Reads the number of the running postmaster, or nothing while there is none. The end of the input
 * means that whoever started the server is gone, even if it had no time to say so.
 */
const script = `
while read -r line; do pid=$line; done
if [ -n "$pid" ]; then
  kill -QUIT "$pid"; kill -CONT "$pid"
  for _ in $(seq 100); do kill -0 "$pid" || break; sleep 0.1; done
fi
rm -rf "$0"
`;

/** Ends the server and removes its folder when this process is gone, however it went. */
export class ServerGuard {
  readonly #input: Writable;

  constructor(folder: string) {
    const child = spawn("/bin/sh", ["-c", script, folder], {
      stdio: ["pipe", "ignore", "ignore"],
      detached: true, // a Ctrl-C in the terminal must not end the one who cleans up after it
    });
    this.#input = child.stdin;
    this.#input.on("error", () => {}); // the guard itself was killed: nothing guards any more
    // Guarding must not keep a process alive that has nothing else to do.
    child.unref();
    if (child.stdin instanceof Socket) child.stdin.unref();
  }

  watch(postmaster: number): void {
    this.#input.write(`${postmaster}\n`);
  }

  /** No server runs now: nobody else's process may be hit by its number. */
  rest(): void {
    this.#input.write("\n");
  }

  /** It removes the folder, if it is still there, and ends. */
  dismiss(): void {
    this.rest();
    this.#input.end();
  }
}
