import { cellIdOf, hex } from "@holdfast/core/machine";
import type { RecordFields } from "./show-records.ts";

/** An effect that failed. */
export type FailedEffect = {
  readonly status: "timeout" | "error";
  readonly seq: number;
  readonly intentId: string;
};

/** What ended a step, or a cell could not take. */
export type Fault = {
  readonly seq: number;
  readonly code: string;
  /** The code, with what the script said where that is known. */
  readonly note: string;
  /** Whose it is; null = nobody knows. */
  readonly machine: string | null;
  readonly key: Uint8Array | null;
  /** Of the event as the step saw it; null = it was an answer. */
  readonly eventHash: string | null;
  readonly intentId: string | null;
};

/** Failed effects that are held, the newest of them. */
const failedMax = 400;

/**
 * What went wrong, of records in their order, and was not made good: a failed effect counts until
 * the same cell has a better answer from the same effect. What was turned away says nothing.
 */
export class Troubles {
  readonly #failed = new Map<string, FailedEffect>();
  #fault: Fault | null = null;

  get fault(): Fault | null {
    return this.#fault;
  }

  get count(): number {
    return this.#failed.size;
  }

  /** Those that came to no answer in time first, then the newest. */
  get failed(): FailedEffect | null {
    const all = [...this.#failed.values()];
    return all.findLast(({ status }) => status === "timeout") ?? all.at(-1) ?? null;
  }

  /** `effect`: of the intent it is about; null = nobody knows. */
  add(seq: number, fields: RecordFields, effect: string | null): void {
    const { kind, name, status, accepted } = fields;
    if (kind === "effect_receipt" && accepted === true) {
      this.#outcome(seq, fields, { effect, status: String(status) });
    } else if (name === "workflow.over_capacity") {
      this.#outcome(seq, fields, { effect, status: "error" });
    } else if (isFault(fields)) {
      const code = String(fields["code"] ?? fields["error_code"] ?? fields["reason"]);
      const { machine, key } = fields;
      this.#fault = {
        seq,
        code,
        note: code,
        machine: typeof machine === "string" ? machine : null,
        key: key instanceof Uint8Array ? key : null,
        eventHash: hashIn(fields["event_hash"]),
        intentId: hashIn(fields["intent_hash"]),
      };
    }
  }

  #outcome(
    seq: number,
    { machine, key, intent_hash: intent }: RecordFields,
    { effect, status }: { readonly effect: string | null; readonly status: string },
  ): void {
    const cellId = cellIdOf(String(machine), key instanceof Uint8Array ? key : null);
    const id = `${cellId} ${effect ?? ""}`;
    this.#failed.delete(id);
    if (status !== "timeout" && status !== "error") return;
    this.#failed.set(id, { status, seq, intentId: hashIn(intent) ?? "" });
    const [oldest] = this.#failed.keys();
    if (this.#failed.size > failedMax && oldest !== undefined) this.#failed.delete(oldest);
  }
}

function isFault({ kind, name }: RecordFields): boolean {
  return (
    kind === "step_killed" || name === "workflow.step_fault" || name === "workflow.receipt_fault"
  );
}

function hashIn(value: unknown): string | null {
  return value instanceof Uint8Array ? hex(value) : null;
}
