import type { CoreCommand, EventRow, MutationRow, View } from "@holdfast/core";
import type { MonotonicClock, Ownership, WorkflowOwner } from "@holdfast/host";
import { nanos } from "./history-line.ts";
import type { HookStop } from "./hooks.ts";
import { settleApplied, verdict } from "./load-commands.ts";
import { settled } from "./not-done.ts";
import type { OutsideLog } from "./outside-log.ts";

const sendWithinMs = 1_000;
const requestTimeoutMs = 1_000;

export type DeliveryParts = {
  readonly ownership: Ownership;
  readonly incarnation: string;
  readonly clock: MonotonicClock;
  readonly outside: OutsideLog;
  readonly hooks: HookStop;
  /** Of this incarnation: what it has sent, whatever became of the commit that says so. */
  readonly performed: Set<string>;
  /** Called right before the last look at the lease. */
  readonly noteBelief: () => void;
};

type Sent = Pick<MutationRow, "mutationId" | "mutationKey">;

/** The outside changes of one workflow: sent, settled, and found out about when nobody knows. */
export class Delivery {
  readonly #parts: DeliveryParts;
  readonly #owner: WorkflowOwner;

  constructor(owner: WorkflowOwner, parts: DeliveryParts) {
    this.#owner = owner;
    this.#parts = parts;
  }

  /** Only ever performed after the commit that says "in flight" is durable. */
  async send(before: readonly CoreCommand[], mutationId: string): Promise<void> {
    const { incarnation, ownership, clock } = this.#parts;
    const startedAt = clock.monotonicMs();
    const withinMs = Math.floor(Math.min(sendWithinMs, ownership.mayActUntil - startedAt));
    if (withinMs <= 0) return;
    const sendBy = Date.now() + withinMs;
    const lease = { incarnation, epoch: ownership.epoch, sendBy, timeoutMs: requestTimeoutMs };
    const sending = { ...lease, verdict };
    await this.#execute(...before, { kind: "send_mutation", mutationId, ...sending });
    const view = await this.#owner.loadView();
    this.#perform(view, view.load("mutations", mutationId), startedAt + withinMs);
    await this.end(view.load("mutations", mutationId));
  }

  #perform(view: View, { mutationKey, runId }: MutationRow, sendBy: number): void {
    const { hooks, clock, outside, ownership, performed, noteBelief } = this.#parts;
    const { workflow, epoch } = ownership;
    const events = namesOf([...view.rows("events")].filter((event) => event.reservedBy === runId));
    hooks.pass("before check");
    noteBelief();
    const checkedAt = nanos();
    if (!ownership.mayAct() || clock.monotonicMs() >= sendBy) return;
    hooks.pass("after check");
    outside.change({ mutationKey, workflow, epoch, events, checkedAt, at: nanos() });
    performed.add(mutationKey);
    hooks.pass("performed");
  }

  /** Only this incarnation knows whether it sent what it said it would. */
  async end({ mutationId, mutationKey }: Sent): Promise<void> {
    const { hooks, incarnation, performed } = this.#parts;
    hooks.pass("before settle");
    if (performed.has(mutationKey)) return this.#execute(settleApplied(mutationId));
    const note = "it was too late, or nobody knew that it was to be sent";
    await this.#execute({ kind: "report_unsent", mutationId, incarnation, note });
  }

  /** In flight by this incarnation, although nobody is sending it now. */
  findSent(view: View): Sent | null {
    const { incarnation } = this.#parts;
    const isSent = ({ state, senderIncarnation }: MutationRow) =>
      state === "in_flight" && senderIncarnation === incarnation;
    return [...view.rows("mutations")].find(isSent) ?? null;
  }

  async reconcile({ mutationId, mutationKey }: Sent): Promise<void> {
    // Taken before the look: "not there" must not be believed for a later time than it was seen.
    const now = Date.now();
    const answer = this.#parts.outside.has(mutationKey)
      ? ({ says: "applied", result: null } as const)
      : ({ says: "failed", note: "it is not there", quietForMs: 0 } as const);
    const command = { kind: "answer_reconcile", mutationId, answer, jitter: 0 } as const;
    settled(await this.#owner.execute([command], now));
  }

  async #execute(...commands: readonly CoreCommand[]): Promise<void> {
    settled(await this.#owner.execute(commands, Date.now()));
  }
}

function namesOf(events: readonly EventRow[]): readonly string[] {
  return events.map(({ topic, messageId }) => `${topic}/${messageId}`);
}
