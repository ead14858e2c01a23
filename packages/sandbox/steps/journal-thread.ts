import type { HostedMachines, JournalThread } from "@holdfast/core";
import type { JournalAnswer, JournalAsk, MachineLimits, PublicKey } from "@holdfast/core/machine";
import { limitsAgain } from "../limits.ts";
import type { PinnedThread } from "../pool/slice-pool.ts";
import { ThreadLost } from "../pool/slice-thread.ts";
import type { LoadedScript, Sandbox } from "../sandbox.ts";
import type { JournalRequest, SentVersion } from "./journals.ts";
import type { SentSet } from "./run-chains.ts";

export type OwnVersion = { readonly script: LoadedScript; readonly sent: SentSet };

/** What is sent of the machines that a sandbox has made. */
const versions = new WeakMap<HostedMachines, OwnVersion & { readonly sandbox: Sandbox }>();

export function noteVersion(machines: HostedMachines, sandbox: Sandbox, own: OwnVersion): void {
  versions.set(machines, { ...own, sandbox });
}

let journalCount = 0;

/** The machines of one journal, in one thread of a sandbox. */
export class SandboxJournal implements JournalThread {
  readonly #sandbox: Sandbox;
  readonly #thread: PinnedThread;
  readonly #journal: number;
  readonly #limits: Partial<MachineLimits>;
  readonly #unsent: OwnVersion[] = [];
  #number = 0;

  constructor(sandbox: Sandbox, limits: Partial<MachineLimits>) {
    this.#sandbox = sandbox;
    this.#limits = limits;
    this.#thread = sandbox.pinThread();
    journalCount += 1;
    this.#journal = journalCount;
  }

  learn(machines: HostedMachines): boolean {
    const known = versions.get(machines);
    if (known === undefined || known.sandbox !== this.#sandbox) return false;
    this.#unsent.push(known);
    return true;
  }

  async ask(ask: JournalAsk, keys: readonly PublicKey[] = []): Promise<JournalAnswer | null> {
    const sent: SentVersion[] = [];
    for (const { script, sent: machines } of this.#unsent.splice(0)) {
      const image = await this.#sandbox.findImage(script);
      if (image === null) return null;
      sent.push({ script: image, machines });
    }
    try {
      const request = this.#request(ask, { versions: sent, keys });
      const { runningMsMax } = limitsAgain(this.#sandbox.limits);
      const answer = await this.#thread.ask(request, runningMsMax);
      const isAnswered = answer.kind === "journal" && answer.result.kind !== "ended";
      return isAnswered ? (answer.result as JournalAnswer) : null;
    } catch (error) {
      if (!(error instanceof ThreadLost)) throw error;
      return null;
    }
  }

  rest(): void {
    this.#thread.letGo();
  }

  end(): void {
    const request = this.#request(null, { versions: [], keys: [] });
    // Whether it is heard is all the same: with the thread all is gone that it had.
    this.#thread.ask(request, this.#sandbox.limits.runningMsMax).catch(() => {});
    this.#thread.letGo();
  }

  #request(
    ask: JournalAsk | null,
    more: Pick<JournalRequest, "versions" | "keys">,
  ): JournalRequest {
    this.#number += 1;
    const of = { journal: this.#journal, number: this.#number, limits: this.#limits };
    return { kind: "journal", ...of, ask, ...more };
  }
}
