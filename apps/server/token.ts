import { randomBytes } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const tokenBytes = 32;

export function newToken(): string {
  return randomBytes(tokenBytes).toString("base64url");
}

/** Made at the first start; only the user who runs the host may read it. */
export function tokenIn(folder: string): string {
  const path = join(folder, "token");
  try {
    // Fails if it is there: two first starts must not each have a token of their own.
    writeFileSync(path, `${newToken()}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const token = readFileSync(path, "utf8").trim();
  if (token.length >= tokenBytes) return token;
  // A start that was killed while it wrote: nobody has had this token yet.
  writeFileSync(path, `${newToken()}\n`, { mode: 0o600 });
  return readFileSync(path, "utf8").trim();
}

/** Where commands on this machine find the host that has this folder. */
export function noteUrl(folder: string, url: string): void {
  writeFileSync(join(folder, "host.json"), `${JSON.stringify({ url })}\n`, { mode: 0o600 });
}

/** Whoever listens there next is somebody else. */
export function forgetUrl(folder: string): void {
  rmSync(join(folder, "host.json"), { force: true });
}
