import { execFile, spawnSync } from "node:child_process";
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  findServerUser,
  isReachable,
  placeBinaries,
  type ServerBinaries,
  type ServerUser,
} from "./server-binaries.ts";

const run = promisify(execFile);

const logLinesMax = 200;

export type ServerParameters = Readonly<Record<string, string | number>>;

/** Everything one server has on disk: data, parameters, log. Removed as a whole. */
export class ServerFolder {
  readonly path: string;
  readonly data: string;
  readonly log: string;
  readonly user: ServerUser;
  readonly binaries: ServerBinaries;

  constructor(parent = tmpdir()) {
    this.user = findServerUser();
    if (this.user !== null && !isReachable(parent)) {
      throw new Error(`root runs PostgreSQL as nobody, who cannot reach ${parent}; set TMPDIR`);
    }
    this.path = mkdtempSync(join(parent, "holdfast-postgres-"));
    this.give(this.path);
    this.data = join(this.path, "data");
    this.log = join(this.path, "log");
    this.binaries = placeBinaries(this.path, this.user);
  }

  /** What every process of the server is spawned with; nothing of ours may reach it by accident. */
  spawnOptions(environment: Readonly<Record<string, string>> = {}) {
    const env = { PATH: process.env["PATH"] ?? "", LC_ALL: "C", TZ: "UTC", ...environment };
    return { ...(this.user ?? {}), env, cwd: this.path };
  }

  async makeData(): Promise<void> {
    const args = ["-D", this.data, "-U", "postgres", "--auth=trust", "--no-sync"];
    args.push("--no-instructions", "--encoding=UTF8", "--locale=C");
    await run(this.binaries.initdb, args, this.spawnOptions());
  }

  /** As a file and not as arguments, so that a test can change them with ALTER SYSTEM. */
  writeParameters(parameters: ServerParameters): void {
    const lines = Object.entries(parameters).map(
      ([name, value]) => `${name} = '${String(value).replaceAll("'", "''")}'\n`,
    );
    writeFileSync(join(this.data, "postgresql.conf"), lines.join(""));
  }

  /** The last word of the postmaster's own note about itself; null = it has not come that far. */
  readStatus(postmaster: number): string | null {
    const lines = this.#readNote();
    return lines[0] === String(postmaster) ? (lines[7]?.trim() ?? null) : null;
  }

  #readNote(): string[] {
    return readIfThere(join(this.data, "postmaster.pid")).split("\n");
  }

  readLog(): string {
    return readIfThere(this.log).trimEnd().split("\n").slice(-logLinesMax).join("\n");
  }

  /** The owner of everything in the folder is the server's user. */
  give(path: string): void {
    if (this.user !== null) chownSync(path, this.user.uid, this.user.gid);
  }

  remove(): void {
    const [, segment] = /^\s*\d+\s+(\d+)$/.exec(this.#readNote()[6] ?? "") ?? [];
    // A server that was killed and never started again leaves its mark in the shared memory.
    if (segment !== undefined) spawnSync("/bin/sh", ["-c", 'ipcrm -m "$0"', segment]);
    rmSync(this.path, { recursive: true, force: true, maxRetries: 3 });
  }
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
