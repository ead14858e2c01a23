import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where commands on this machine find the host that has this folder. */
export function noteUrl(folder: string, url: string): void {
  writeFileSync(join(folder, "host.json"), `${JSON.stringify({ url })}\n`, { mode: 0o600 });
}

/** Whoever listens there next is somebody else. */
export function forgetUrl(folder: string): void {
  rmSync(join(folder, "host.json"), { force: true });
}
