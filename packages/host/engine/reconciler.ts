import {
  type CoreCommand,
  invariant,
  type MutationRow,
  type ReconcileAnswer,
  type View,
} from "@holdfast/core";
import type { LoopParts } from "./loop-parts.ts";
import type { Finding } from "./ports.ts";
import { callOf } from "./sender.ts";
import { HostStops } from "./stop.ts";
import { bytesOf } from "./values.ts";
import { within } from "./within.ts";

/** One question; a service that does not answer it by then has said nothing. */
const askMsMax = 30_000;

/** Finds out about calls whose outcome nobody knows. It sends nothing and runs no script. */
export class Reconciler {
  readonly #parts: LoopParts;

  constructor(parts: LoopParts) {
    this.#parts = parts;
  }

  async ask(view: View, mutationId: string): Promise<CoreCommand> {
    const mutation = view.load("mutations", mutationId);
    // From before the question: what the service has seen since then does not count.
    const quietForMs = this.#quietForMs(view, mutation);
    const finding = await this.#find(mutation);
    const answer = answerOf(finding, quietForMs);
    const jitter = this.#parts.random();
    return { kind: "answer_reconcile", mutationId, answer, jitter };
  }

  /**
   * A process that is gone had to have sent by the time it lost the workflow, and may have been at
   * it for so long after that; so may an executor elsewhere that was handed the call. Wall clocks
   * have no part in this: one may be ahead by minutes.
   */
  #quietForMs({ workflow, policy }: View, mutation: MutationRow): number {
    const { quietTimes, monotonicMs, incarnation, outside } = this.#parts;
    const executor = outside.executorOf?.(mutation) ?? null;
    const isOwn = mutation.senderIncarnation === incarnation && executor === null;
    const busyMs = isOwn ? 0 : (mutation.timeoutMs ?? 0) + policy.hostPauseMsMax;
    return quietTimes.countMs(workflow, mutation, { nowMs: monotonicMs(), busyMs });
  }

  async #find(mutation: MutationRow): Promise<Finding | undefined> {
    const { store, owner, outside, timers, stop } = this.#parts;
    if (!mutation.canReconcile) {
      return { says: "retry", note: "the service can neither be asked nor sent it again" };
    }
    invariant(mutation.timeoutMs !== null, "a call that was sent has a timeout");
    const call = callOf(mutation, await bytesOf(store, owner.workflow, mutation.payload));
    const answered = await within(timers, { ms: askMsMax, until: stop?.asked }, (signal) =>
      outside.reconcile(call, signal).catch(saysNothing),
    );
    if (answered.kind === "answer") return answered.value;
    // Nobody has said anything: it stays due, and the next host asks.
    if (answered.kind === "given_up") throw new HostStops("the host stops");
    return { says: "retry", note: `no answer within ${askMsMax} ms` };
  }
}

function saysNothing(error: unknown): Finding {
  return { says: "retry", note: `reconcile threw: ${String(error)}` };
}

/** A connector is not ours: what makes no sense says nothing. */
function answerOf(finding: Finding | undefined, quietForMs: number): ReconcileAnswer {
  switch (finding?.says) {
    case "applied":
    case "retry":
    case "unreachable":
      return finding;
    case "not_found":
      return { says: "failed", note: finding.note, quietForMs };
    default:
      return { says: "retry", note: "the answer made no sense" };
  }
}
