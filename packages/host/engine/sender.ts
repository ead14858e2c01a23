import {
  type CoreCommand,
  type Instant,
  invariant,
  type MutationRow,
  type View,
} from "@holdfast/core";
import type { Outcome } from "./outcome.ts";
import { bytesOf } from "./values.ts";
import type { LoopParts } from "./workflow-loop.ts";

/** Longest between the commit that allows a send and its first byte. */
const sendWithinMs = 5_000;
/** Of a request whose operation does not say. */
const timeoutMsDefault = 30_000;

/** Sends what the ledger says may be sent, and nothing that it does not say. */
export class Sender {
  readonly #parts: LoopParts;
  /** On the monotonic clock: the last moment for the first byte, by mutation. */
  readonly #latest = new Map<string, number>();

  constructor(parts: LoopParts) {
    this.#parts = parts;
  }

  /** Time for a first byte within the lease; null = there is none. */
  leftMs(): number | null {
    const { ownership, monotonicMs } = this.#parts;
    const left = Math.floor(Math.min(sendWithinMs, ownership.mayActUntil - monotonicMs()));
    return left > 0 ? left : null;
  }

  sendCommand(
    mutationId: string,
    { now, leftMs, timeoutMs }: { now: Instant; leftMs: number; timeoutMs: number },
  ): CoreCommand {
    const { ownership, incarnation, monotonicMs } = this.#parts;
    this.#latest.set(mutationId, monotonicMs() + leftMs);
    const { epoch } = ownership;
    const sendBy = now + leftMs;
    return { kind: "send_mutation", mutationId, incarnation, epoch, sendBy, timeoutMs };
  }

  /** For a call that was recorded before and is ready; null = there is no time left for it. */
  outcomeToSend(view: View, mutationId: string): Outcome | null {
    const now = this.#parts.clock.now();
    const leftMs = this.leftMs();
    if (leftMs === null) return null;
    const timeoutMs = view.load("mutations", mutationId).timeoutMs ?? timeoutMsDefault;
    return {
      commands: [this.sendCommand(mutationId, { now, leftMs, timeoutMs })],
      now,
      trace: null,
      onRefused: ({ code, note }) => {
        throw new Error(`a send that the core ordered was refused: ${code}: ${note}`);
      },
    };
  }

  /** After the commit. Answers with the command that says what came of it. */
  async send(mutationId: string): Promise<CoreCommand> {
    const { owner, outside, store, incarnation } = this.#parts;
    const row = (await owner.loadView()).load("mutations", mutationId);
    const payload = await bytesOf(store, owner.workflow, row.payload);
    const outcome = await outside.send(callOf(row, payload), () => this.#mayGo(mutationId));
    this.#latest.delete(mutationId);
    if (outcome.says !== "unsent") return { kind: "settle_mutation", mutationId, outcome };
    const note = "the last check before sending said no";
    return { kind: "report_unsent", mutationId, incarnation, note };
  }

  #mayGo(mutationId: string): boolean {
    const { ownership, monotonicMs } = this.#parts;
    const latest = this.#latest.get(mutationId);
    return latest !== undefined && monotonicMs() < latest && ownership.mayAct();
  }
}

function callOf(row: MutationRow, payload: Uint8Array) {
  const { connection, operation, target, providerKey, timeoutMs } = row;
  invariant(timeoutMs !== null, "a call that was sent has a timeout");
  return { connection, operation, target, payload, providerKey, timeoutMs };
}
