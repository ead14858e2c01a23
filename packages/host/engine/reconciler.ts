import {
  type CoreCommand,
  type Instant,
  invariant,
  type MutationRow,
  type ReconcileAnswer,
  type View,
} from "@holdfast/core";
import type { Finding } from "./ports.ts";
import { callOf } from "./sender.ts";
import { bytesOf } from "./values.ts";
import { within } from "./within.ts";
import type { LoopParts } from "./workflow-loop.ts";

/** One question; a service that does not answer it by then has said nothing. */
const askMsMax = 30_000;

/** Finds out about calls whose outcome nobody knows. It sends nothing and runs no script. */
export class Reconciler {
  readonly #parts: LoopParts;

  constructor(parts: LoopParts) {
    this.#parts = parts;
  }

  /** `now` is the workflow's time. */
  async ask(view: View, mutationId: string, now: Instant): Promise<CoreCommand> {
    const mutation = view.load("mutations", mutationId);
    const { quietTimes, monotonicMs, random } = this.#parts;
    const isQuiet = mutation.quietFrom !== null && now >= mutation.quietFrom;
    // From before the question: what the service has seen since then does not count.
    const quietForMs = isQuiet ? quietTimes.countMs(view.workflow, mutation, monotonicMs()) : 0;
    const finding = await this.#find(mutation);
    const answer = answerOf(finding, quietForMs);
    return { kind: "answer_reconcile", mutationId, answer, jitter: random() };
  }

  async #find(mutation: MutationRow): Promise<Finding> {
    const { store, owner, outside, timers } = this.#parts;
    if (!mutation.canReconcile) {
      return { says: "retry", note: "the service can neither be asked nor sent it again" };
    }
    invariant(mutation.timeoutMs !== null, "a call that was sent has a timeout");
    const call = callOf(mutation, await bytesOf(store, owner.workflow, mutation.payload));
    const asking = outside.reconcile(call).catch(saysNothing);
    const answered = await within(timers, askMsMax, asking);
    return answered?.value ?? { says: "retry", note: `no answer within ${askMsMax} ms` };
  }
}

function saysNothing(error: unknown): Finding {
  return { says: "retry", note: `reconcile threw: ${String(error)}` };
}

/** A connector is not ours: what makes no sense says nothing. */
function answerOf(finding: Finding, quietForMs: number): ReconcileAnswer {
  switch (finding.says) {
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
