import {
  type CoreCommand,
  type HostedHandler,
  type HostedScript,
  type Instant,
  InvariantError,
  invariant,
  isPassing,
  type View,
} from "@holdfast/core";
import type { Outcome } from "./outcome.ts";
import type { ScriptLibrary } from "./ports.ts";

/** Why there is none, in words for a person. */
type Fault = { readonly fault: string };

type FoundCode = { readonly script: HostedScript; readonly handler: HostedHandler } | Fault;

/** The code that one workflow runs, loaded once per version. */
export class DeployedCode {
  readonly #library: ScriptLibrary;
  #last: { readonly hash: string; readonly active: string; readonly script: HostedScript } | null =
    null;

  constructor(library: ScriptLibrary) {
    this.#library = library;
  }

  async find(view: View, hash: string, name: string): Promise<FoundCode> {
    const script = await this.load(view, hash);
    if ("fault" in script) return script;
    const handler = script.handlers.get(name);
    return handler === undefined ? { fault: `the script has no ${name}` } : { script, handler };
  }

  /**
   * A run is finished with the script it began with, whatever is active by now. What it may do
   * outside is said by the active version all the same, which is therefore loaded last.
   */
  async load(view: View, hash: string): Promise<HostedScript | Fault> {
    const { scriptHash: active } = view.load("workflows");
    invariant(active !== null, `${view.workflow} has a script before it runs`);
    if (this.#last?.hash === hash && this.#last.active === active) return this.#last.script;
    const script = await this.#fetch(view.workflow, hash);
    const last = hash === active ? script : await this.#fetch(view.workflow, active);
    if ("fault" in script) return script;
    if ("fault" in last) return last;
    this.#last = { hash, active, script };
    return script;
  }

  /** A store that is away is waited for; a script that is gone or broken stays so. */
  async #fetch(workflow: string, hash: string): Promise<HostedScript | Fault> {
    try {
      return await this.#library.load(workflow, hash);
    } catch (error) {
      if (isPassing(error) || error instanceof InvariantError) throw error;
      return { fault: `the script ${hash} cannot be loaded: ${String(error)}` };
    }
  }
}

/** The run fails once, with its question, and stays until a person has mended what is missing. */
export function noCode(
  { runId, opening }: { readonly runId: string; readonly opening: readonly CoreCommand[] },
  handler: string,
  message: string,
  now: Instant,
): Outcome {
  const failure = { class: "internal", message, location: handler } as const;
  return {
    commands: [...opening, { kind: "fail_run", runId, failure }],
    now,
    trace: null,
    onRefused: ({ code, note }) => {
      throw new InvariantError(`a failure could not be recorded: ${code}: ${note}`);
    },
  };
}
