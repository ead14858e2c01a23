import { type FSWatcher, watch } from "node:fs";
import { dirname, join } from "node:path";
import type { DeployAnswer, DeployRequest } from "@holdfast/protocol";
import { type HostClient, HostProblem } from "../host-client.ts";
import { plain } from "../print.ts";
import { readScript } from "../read-script.ts";
import { reportError } from "../report-error.ts";
import { UsageError } from "../store-place.ts";

type Grants = {
  readonly allow?: string[] | undefined;
  readonly ask?: string[] | undefined;
};

/** An editor writes a file in several goes. */
const quietMs = 100;

/** Deploys a script when it, or what it imports, was saved. What is wrong is said, and no more. */
export class DeployOnSave {
  readonly #file: string;
  readonly #grants: Grants;
  readonly #client: HostClient;
  readonly #watchers = new Map<string, FSWatcher>();
  #seen = "";
  #timer: NodeJS.Timeout | null = null;
  #deploying: Promise<void> = Promise.resolve();

  constructor(file: string, grants: Grants, client: HostClient) {
    this.#file = file;
    this.#grants = grants;
    this.#client = client;
  }

  async begin(): Promise<void> {
    this.#watchFolder(dirname(this.#file));
    await this.#deploy();
  }

  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
  }

  /** A folder, because many editors replace a file when they save it. */
  #watchFolder(folder: string): void {
    if (this.#watchers.has(folder)) return;
    this.#watchers.set(
      folder,
      watch(folder, () => {
        if (this.#timer !== null) clearTimeout(this.#timer);
        this.#timer = setTimeout(() => {
          this.#deploying = this.#deploying.then(() => this.#deploy());
        }, quietMs);
      }),
    );
  }

  async #deploy(): Promise<void> {
    try {
      const source = readScript(this.#file);
      const text = JSON.stringify(source);
      if (text === this.#seen) return;
      this.#seen = text;
      const folder = dirname(this.#file);
      for (const name of Object.keys(source.files)) this.#watchFolder(dirname(join(folder, name)));
      const { entry, files } = source;
      const { allow, ask } = this.#grants;
      await this.#send({
        source: { entry, files: { ...files } },
        ...(allow === undefined ? {} : { allow }),
        ...(ask === undefined ? {} : { ask }),
      });
    } catch (error) {
      this.#complain(error);
    }
  }

  /** More than code changed: that is a major version. What it would leave behind is refused. */
  async #send(request: DeployRequest): Promise<void> {
    const answer = await this.#post(request).catch((error: unknown) => {
      const isMajor = error instanceof HostProblem && error.problem.refusal === "version_not_minor";
      if (!isMajor) throw error;
      return this.#post({ ...request, bump: "major" });
    });
    const { workflow, version, changed, missing } = answer;
    for (const problem of answer.problems) console.log(shown(problem));
    const isProposed = answer.proposal !== null;
    const done = isProposed ? `is ${answer.note}` : changed ? "is active" : "is as it was";
    const lacks = missing.length === 0 ? "" : `; not granted: ${missing.join(", ")}`;
    console.log(plain(`${this.#file}: ${workflow} ${version} ${done}${lacks}`));
  }

  #post(request: DeployRequest): Promise<DeployAnswer> {
    return this.#client.post<DeployAnswer>("/versions", request);
  }

  #complain(error: unknown): void {
    const goesOn = "the version before goes on";
    if (error instanceof HostProblem && error.problem.problems !== undefined) {
      for (const problem of error.problem.problems) console.log(shown(problem));
      console.log(plain(`${this.#file}: ${error.problem.detail} ${goesOn}`));
    } else if (error instanceof UsageError) {
      console.log(plain(`${this.#file}: ${error.message}; ${goesOn}`));
    } else {
      reportError(error, false);
    }
  }
}

/** As `holdfast validate` shows it. */
function shown(problem: unknown): string {
  const given = problem as Readonly<Record<string, unknown>>;
  const of = (name: string) => plain(String(given[name] ?? ""));
  const place = `${of("file")}:${of("line")}:${of("column")}`;
  return `${place}  ${of("severity")}  ${of("code")}\n  ${of("cause")}\n  ${of("hint")}`;
}
