import {
  type CoreCommand,
  decodeCanonical,
  type Instant,
  isApprovedAs,
  isOfIntent,
  type MutationRow,
  pinPayload,
  type RunFailure,
  type Store,
  type Verdict,
  type View,
} from "@holdfast/core";
import type { DeployedCode } from "./deployed-code.ts";
import { askFor, isCovered, pauseFor, verdictOf } from "./judged-call.ts";
import { activeHash } from "./loop-words.ts";
import type { Permissions } from "./permissions.ts";
import type { DescribedCall, Keyed, OutsideWorld } from "./ports.ts";
import { bytesOf, toJson } from "./values.ts";

type Parts = {
  readonly store: Store;
  readonly outside: OutsideWorld;
  readonly permissions: Permissions;
  readonly scripts: DeployedCode;
  readonly random: () => number;
};

type Judged =
  | { readonly verdict: Verdict; readonly amount: number | null }
  /** It may not be sent as it is. */
  | { readonly instead: CoreCommand; readonly why: string };

/**
 * Calls that lie in the ledger and are to be sent: approved, held up, or from before a restart.
 * Each is judged anew, because grants, limits and times may have changed since.
 */
export class RecordedCalls {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async judge(view: View, mutationId: string, now: Instant): Promise<Judged> {
    const mutation = view.load("mutations", mutationId);
    const { runId, connection, operation } = mutation;
    const name = `${connection}.${operation}`;
    const bytes = await bytesOf(this.#parts.store, view.workflow, mutation.payload);
    if (pinPayload(bytes).payload.hash !== mutation.payloadHash) return notThese(view, mutation);
    const params = decodeCanonical(bytes);
    const call = { connection, operation, params, runId, mutationId };
    const judged = await this.#parts.permissions.judge(view, call);
    if (!isCovered(judged)) {
      // Of a machine's call too: it is no failure of the machine, and stays in the ledger.
      return { instead: pauseFor(runId, name, judged), why: judged.why };
    }
    const verdict = verdictOf(view, judged, this.#keyedFor(mutation, bytes));
    const { amount } = judged;
    if (judged.says === "allow") return { verdict, amount };
    const described = this.#describe(mutation, bytes);
    if ("class" in described) {
      return insteadOf(view, mutation, pauseWith(runId, described), described.message);
    }
    const { connectorVersion, preview } = described;
    const isApproved = isApprovedAs(mutation.approval, verdict);
    if (isApproved && mutation.connectorVersion === connectorVersion) return { verdict, amount };
    const { target, payloadHash } = mutation;
    const previewed = { operation: name, target, connectorVersion, preview, payloadHash };
    const expiresAt = now + view.policy.approvalMsMax;
    const ask = askFor(previewed, { fourEyes: judged.fourEyes, expiresAt });
    const why = `${name} has to be approved`;
    const asked = { mutationId, verdict, amount, ask, connectorVersion };
    return { instead: { kind: "ask_approval", ...asked }, why };
  }

  /** Of one that waits for an approval: grants may ask for more than when it was recorded. */
  async asksFourEyes(view: View, mutationId: string): Promise<boolean> {
    const mutation = view.find("mutations", mutationId);
    if (mutation?.state !== "awaiting_approval") return false;
    const bytes = await bytesOf(this.#parts.store, view.workflow, mutation.payload);
    // Not what was recorded: it is not sent, whoever agrees to it.
    if (pinPayload(bytes).payload.hash !== mutation.payloadHash) return false;
    // What an operation is comes with its version, which nobody may have looked at since the start.
    const code = await this.#parts.scripts.load(view, activeHash(view));
    // It cannot be sent then; whoever would send it later judges it again.
    if ("fault" in code) return false;
    const { runId, connection, operation } = mutation;
    const call = { connection, operation, params: decodeCanonical(bytes), runId, mutationId };
    const judged = await this.#parts.permissions.judge(view, call);
    return isCovered(judged) && judged.fourEyes;
  }

  /** One that may have been sent: whether it happened has to be found out, granted or not. */
  async judgeAgain(view: View, mutationId: string, now: Instant): Promise<Judged> {
    const judged = await this.judge(view, mutationId, now);
    if ("instead" in judged) {
      return { ...judged, instead: this.notSentAgain(mutationId, judged.why) };
    }
    const mutation = view.load("mutations", mutationId);
    const bytes = await bytesOf(this.#parts.store, view.workflow, mutation.payload);
    const why = this.#whyNotByKey(mutation, bytes);
    if (why === null) return judged;
    const answer = { says: "retry", note: why, resendHelps: false } as const;
    const jitter = this.#parts.random();
    return { instead: { kind: "answer_reconcile", mutationId, answer, jitter }, why };
  }

  /**
   * What a send of it is recorded with: as it was recorded, or null for good where its account is
   * another by then, for what its row says can be relied on was said by the one before.
   */
  #keyedFor(mutation: MutationRow, bytes: Uint8Array): string | null | undefined {
    const recorded = mutation.verdict?.keyed;
    const now = this.#keyedNow(mutation, bytes);
    return now === null || recorded === undefined || recorded === now.hash ? recorded : null;
  }

  /** Why the same bytes under the same key may be another change to the service; null = never. */
  #whyNotByKey(mutation: MutationRow, bytes: Uint8Array): string | null {
    const now = this.#keyedNow(mutation, bytes);
    const recorded = mutation.verdict?.keyed;
    if (now === null || (now.remembers && (recorded === undefined || recorded === now.hash))) {
      return null;
    }
    return "its account was changed since it was sent, and may not tell a repeat by its key";
  }

  /** Null = nobody can tell, or it cannot be made at all, which whoever would send it says. */
  #keyedNow({ connection, operation }: MutationRow, bytes: Uint8Array): Keyed | null {
    const params = toJson(bytes);
    return this.#parts.outside.keyedOf?.({ connection, operation, params }) ?? null;
  }

  notSentAgain(mutationId: string, note: string): CoreCommand {
    const answer = { says: "unreachable", note } as const;
    return { kind: "answer_reconcile", mutationId, answer, jitter: this.#parts.random() };
  }

  /** What a connector throws before anything was sent is its own mistake. */
  #describe({ connection, operation }: MutationRow, bytes: Uint8Array): DescribedCall | RunFailure {
    try {
      return this.#parts.outside.describe({ connection, operation, params: toJson(bytes) });
    } catch (error) {
      const location = `${connection}.${operation}`;
      return { class: "precondition", message: String(error), location };
    }
  }
}

/** Somebody has changed the store: what was approved, or allowed, is not what would be sent. */
function notThese(view: View, mutation: MutationRow): Judged {
  const { runId, connection, operation, payloadHash } = mutation;
  const location = `${connection}.${operation}`;
  const message = `the stored bytes of the call are not ${payloadHash}, as which it was recorded`;
  const failure = { class: "precondition", message, location } as const;
  return insteadOf(view, mutation, pauseWith(runId, failure), message);
}

/** It cannot be made as it is: a run waits for a person; a machine is told, and decides itself. */
function insteadOf(
  view: View,
  { mutationId, runId }: MutationRow,
  pause: CoreCommand,
  why: string,
): Judged {
  if (!isOfIntent(view.load("runs", runId))) return { instead: pause, why };
  return { instead: { kind: "fail_intent", mutationId, note: why }, why };
}

function pauseWith(runId: string, failure: RunFailure): CoreCommand {
  const because = { reason: "precondition", failure } as const;
  return { kind: "pause_run", runId, because };
}
