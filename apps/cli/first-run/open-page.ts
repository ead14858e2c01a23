import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};
const opener = openers[process.platform] ?? ["xdg-open"];

/** Somebody sits in front of it, with a desktop. */
export function isDesktop(): boolean {
  const { CI, SSH_CONNECTION, DISPLAY, WAYLAND_DISPLAY } = process.env;
  const isRemote = Boolean(CI) || Boolean(SSH_CONNECTION);
  const hasScreen = process.platform !== "linux" || Boolean(DISPLAY ?? WAYLAND_DISPLAY);
  return process.stdout.isTTY === true && !isRemote && hasScreen;
}

/**
 * In this desktop's browser, by a file that only its user may read: whoever looks at the processes
 * of the machine sees no way in. Where there is no browser the link is on the screen.
 */
export function openPage(folder: string, link: string): void {
  const file = join(folder, "open.html");
  writeFileSync(file, `<meta http-equiv="refresh" content="0;url=${link}">\n`, { mode: 0o600 });
  const [program, ...words] = opener;
  const child = spawn(program, [...words, file], { detached: true, stdio: "ignore" });
  child.on("error", () => {});
  child.unref();
}
