import type { BudgetVersion } from "../grant/grant.ts";
import { invariant } from "../ports/invariant.ts";
import { type Ran, timedFact } from "../run/active-time.ts";
import type { Blob } from "../view/payload.ts";
import type { RowChange } from "../view/row-change.ts";
import type { Instant } from "../view/rows.ts";
import type { View } from "../view/view.ts";
import type { Action } from "./action.ts";
import { applyProjected } from "./apply.ts";
import type { Fact } from "./fact.ts";
import { project } from "./project.ts";
import type { JournalRecord } from "./record.ts";
import { type Refusal, type RefusalCode, refusals } from "./refusal.ts";

/** What a command leads to. Nothing has happened yet: the shell persists it first. */
export type Decision =
  | {
      readonly ok: true;
      readonly records: readonly JournalRecord[];
      /** What the records do to the tables. */
      readonly rows: readonly RowChange[];
      readonly blobs: readonly Blob[];
      readonly parts: readonly Blob[];
      /** What must not have moved when it is made durable, and moves on with it. */
      readonly budgets: readonly BudgetVersion[];
      readonly actions: readonly Action[];
      /** The view as it will be once the records are durable. */
      readonly after: View;
      /** In words, for the caller who waits for the verdict. */
      readonly note: string;
    }
  | { readonly ok: false; readonly refusal: Refusal };

/**
 * A decision in the making. Facts are folded into a fork as they are emitted, so that a later
 * part of the same decision sees the earlier ones; the view itself never changes here.
 */
export class Draft {
  readonly view: View;
  readonly now: Instant;
  readonly records: JournalRecord[] = [];
  readonly rows: RowChange[] = [];
  readonly blobs: Blob[] = [];
  /** Of a snapshot of machines. */
  readonly parts: Blob[] = [];
  readonly actions: Action[] = [];
  readonly budgets: BudgetVersion[] = [];
  note = "done";
  private ranMs = 0;

  constructor(view: View, now: Instant) {
    this.view = view.fork();
    this.now = Math.max(now, view.head.at);
  }

  /** Seq the next emitted fact will have; ids of new rows are made from it. */
  get nextSeq(): number {
    return this.view.head.seq + 1;
  }

  /** Everything the rule emits is of a run whose code has run for so long. */
  timing({ activeMs = 0 }: Ran, rule: () => Refusal | null): Refusal | null {
    this.ranMs = activeMs;
    const refusal = rule();
    invariant(refusal !== null || this.ranMs === 0, "a fact says how long the run has run");
    return refusal;
  }

  emit(given: Fact): void {
    const timed = this.ranMs === 0 ? null : timedFact(this.view, given, this.ranMs);
    if (timed !== null) this.ranMs = 0;
    const fact = timed ?? given;
    const record = { seq: this.nextSeq, at: this.now, fact };
    this.rows.push(...applyProjected(this.view, record, project(record)));
    this.records.push(record);
  }

  order(action: Action): void {
    this.actions.push(action);
  }

  /** The judgement of a call stands only while nobody else was charged. */
  expect(budget: BudgetVersion | undefined): void {
    if (budget === undefined || this.budgets.some(({ name }) => name === budget.name)) return;
    this.budgets.push(budget);
  }

  store(blob: Blob | null): void {
    if (blob) this.blobs.push(blob);
  }
}

export function refuse(code: RefusalCode, note: string = refusals[code]): Refusal {
  return { code, note };
}

/** A rule either emits into the draft and returns null, or returns why it cannot. */
export type Rule<C> = (draft: Draft, command: C) => Refusal | null;
