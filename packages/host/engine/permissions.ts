import {
  type CanonicalValue,
  compileEnvelope,
  decodeCanonical,
  type Envelope,
  type Instant,
  invariant,
  type JudgedCall,
  type Judgement,
  judge,
  type Period,
  periodMs,
  type RunFailure,
  readGrants,
  type Spent,
  type Store,
  type TerminalCall,
  type View,
  windowsOf,
} from "@holdfast/core";
import { isCovered } from "./judged-call.ts";
import { bytesOf } from "./values.ts";

type Parts = { readonly store: Store; readonly clock: { now(): Instant } };

/** Of the call that is judged. */
type Judged = {
  readonly connection: string;
  readonly operation: string;
  readonly params: CanonicalValue;
  readonly runId: string;
  /** Its own row in the ledger, which counts against nothing; null = it has none yet. */
  readonly mutationId: string | null;
};

/** Judges calls by the grants in force, before anything of them leaves. */
export class Permissions {
  readonly #parts: Parts;
  #last: Envelope | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async judge(view: View, judged: Judged): Promise<Judgement> {
    const { connection, operation, params } = judged;
    const call: JudgedCall = { operation: `${connection}.${operation}`, params };
    const envelope = await this.#inForce(view);
    const now = this.#nowFor(view);
    const usage: { [P in Period]?: Spent } = {};
    for (const period of windowsOf(envelope, call, now)) {
      usage[period] = await this.#spent(view, judged, { period, now });
    }
    return judge(envelope, call, usage, now);
  }

  /** Null = it may be read. There is no row to wait with, so a read is never asked about. */
  async whyNotRead(
    view: View,
    { connection, operation, params }: TerminalCall,
  ): Promise<(RunFailure & { readonly class: "permission" }) | null> {
    const name = `${connection}.${operation}`;
    const call: JudgedCall = { operation: name, params: JSON.parse(params) as CanonicalValue };
    const denied = (message: string) => ({ class: "permission", message, location: name }) as const;
    const envelope = await this.#inForce(view);
    const now = this.#nowFor(view);
    if (windowsOf(envelope, call, now).size > 0) {
      return denied(`${name} is a read, and what is read is not counted: its grant has limits`);
    }
    const found = judge(envelope, call, {}, now);
    if (found.says === "allow") return null;
    if (isCovered(found)) {
      return denied(`${name} is a read, and nobody can be asked about those: allow it or deny it`);
    }
    return denied(found.why);
  }

  /** An envelope never changes: one that was read once is what it was. */
  async #inForce(view: View): Promise<Envelope> {
    const { envelope: number } = view.load("workflows");
    if (this.#last?.number === number) return this.#last;
    const grants = number === 0 ? [] : await this.#grants(view.workflow, number);
    this.#last = compileEnvelope(number, grants);
    return this.#last;
  }

  async #grants(workflow: string, number: number) {
    const { store } = this.#parts;
    const need = { kind: "row", table: "envelopes", key: [number] } as const;
    const { rows } = await store.load(workflow, [need]);
    const found = rows.find((each) => each.table === "envelopes");
    invariant(found?.table === "envelopes", `${workflow} has its envelope ${number}`);
    const bytes = await bytesOf(store, workflow, found.row.grants);
    const read = readGrants(decodeCanonical(bytes));
    invariant(read.ok, `envelope ${number} of ${workflow} was read before it was set`);
    return read.grants;
  }

  async #spent(
    view: View,
    { connection, operation, runId, mutationId }: Judged,
    { period, now }: { readonly period: Period; readonly now: Instant },
  ): Promise<Spent> {
    if (period === "run") return spentBy(view, runId, mutationId);
    const after = now - periodMs[period];
    const of = { connection, operation, after, except: mutationId };
    return this.#parts.store.sumUsage(view.workflow, of);
  }

  #nowFor(view: View): Instant {
    return Math.max(this.#parts.clock.now(), view.head.at);
  }
}

/** A run's own calls are all in the view. */
function spentBy(view: View, runId: string, except: string | null): Spent {
  let spent: Spent = { count: 0, amount: 0, oldestAt: null };
  for (const row of view.rows("mutations")) {
    if (row.runId !== runId || row.state === "failed" || row.mutationId === except) continue;
    spent = { ...spent, count: spent.count + 1, amount: spent.amount + (row.amount ?? 0) };
  }
  return spent;
}
