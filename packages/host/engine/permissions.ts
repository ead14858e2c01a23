import {
  type ActiveTime,
  type BudgetVersion,
  type CanonicalValue,
  type CountedRead,
  compileEnvelope,
  decodeCanonical,
  type Envelope,
  type Instant,
  invariant,
  isOfIntent,
  type JudgedCall,
  judge,
  type OperationName,
  type Period,
  periodMs,
  readGrants,
  type Spent,
  type Store,
  type TerminalCall,
  type Times,
  timesOf,
  type Usage,
  type View,
  type Window,
  windowsOf,
} from "@holdfast/core";
import { isCovered, type JudgedNow } from "./judged-call.ts";
import type { FailedRead, OutsideWorld } from "./ports.ts";
import { bytesOf } from "./values.ts";

type Parts = {
  readonly store: Store;
  readonly clock: { now(): Instant };
  readonly outside: Pick<OutsideWorld, "riskOf">;
  /** Of the run that is judged for; absent = no code of it runs here. */
  readonly activeTime?: { readonly untoldMs: number };
};

/** Of the call that is judged. */
type Judged = {
  readonly connection: string;
  readonly operation: string;
  readonly params: CanonicalValue;
  /** Null = an intent of a machine that is not in the ledger yet. */
  readonly runId: string | null;
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

  async judge(view: View, judged: Judged): Promise<JudgedNow> {
    const { connection, operation, params } = judged;
    const call = this.#callOf({ connection, operation }, params);
    const envelope = await this.#inForce(view);
    const now = this.#nowFor(view);
    const windows = windowsOf(envelope, call, now);
    const { usage, versions } = await this.#used(
      windows,
      (period) => this.#spent(view, judged, { period, now }),
      (window) => this.#charged(view, judged, { ...window, now }),
    );
    const times = await this.#times(view, timesOf(envelope, call, now), { ...judged, now });
    const found = judge(envelope, call, { calls: usage, times }, now);
    const charged = chargedTo(isCovered(found) ? found.budget : null, versions);
    return { ...found, charged, isLimited: windows.size > 0 };
  }

  /** What was used in each window, and how the budgets stood. */
  async #used(
    windows: ReadonlyMap<string, Window>,
    own: (per: Period) => Promise<Spent>,
    shared: (window: Window & { readonly of: string }) => Promise<Spent & { version: number }>,
  ): Promise<{ readonly usage: Usage; readonly versions: Versions }> {
    const usage: { [window: string]: Spent } = {};
    const versions = new Map<string, number>();
    for (const [name, { per, of }] of windows) {
      if (of === null) {
        usage[name] = await own(per);
        continue;
      }
      const { version, ...spent } = await shared({ per, of });
      usage[name] = spent;
      // The oldest that was seen: what came in between two sums makes it be judged again.
      versions.set(of, Math.min(version, versions.get(of) ?? version));
    }
    return { usage, versions };
  }

  /** There is no row to wait with, so a read is never asked about. */
  async judgeRead(view: View, given: TerminalCall, runId: string): Promise<JudgedRead> {
    const { connection, operation } = given;
    const name = `${connection}.${operation}`;
    const params = JSON.parse(given.params) as CanonicalValue;
    const envelope = await this.#inForce(view);
    const now = this.#nowFor(view);
    const call = this.#callOf({ connection, operation }, params);
    const windows = windowsOf(envelope, call, now);
    const { usage, versions } = await this.#used(
      windows,
      (per) => {
        const after = now - periodMs[per === "run" ? "week" : per];
        const of = { connection, operation, after, runId: per === "run" ? runId : null };
        return this.#parts.store.sumReads(view.workflow, of);
      },
      (window) => this.#charged(view, { runId, mutationId: null }, { ...window, now }),
    );
    const times = await this.#times(view, timesOf(envelope, call, now), { runId, now });
    const found = judge(envelope, call, { calls: usage, times }, now);
    if (found.says === "over") return notRead("budget", found.why, name, found.freeAt);
    if (found.says === "deny") return notRead("permission", found.why, name, null);
    if (found.says === "ask") return notRead("permission", nobodyToAsk(name), name, null);
    if (windows.size === 0) return { says: "yes", counts: null };
    const { amount, budget, spent } = found;
    const charged = chargedTo(budget, versions);
    return {
      says: "yes",
      counts: { connection, operation, at: now, amount, budget, spent, charged },
    };
  }

  /** Of a call that is not made, because it was answered before: no limit is about it. */
  async judgeAnswered(view: View, given: TerminalCall): Promise<JudgedRead> {
    const { connection, operation } = given;
    const envelope = await this.#inForce(view);
    const now = this.#nowFor(view);
    const call = this.#callOf(given, JSON.parse(given.params) as CanonicalValue);
    const windows = [...windowsOf(envelope, call, now).keys()];
    const calls = Object.fromEntries(windows.map((name) => [name, noneSpent]));
    const periods = [...timesOf(envelope, call, now)];
    const times = Object.fromEntries(periods.map((per) => [per, noneRan]));
    const found = judge(envelope, call, { calls, times }, now);
    if (found.says === "allow") return { says: "yes", counts: null };
    const name = `${connection}.${operation}`;
    const why = "why" in found ? found.why : nobodyToAsk(name);
    return notRead("permission", why, name, null);
  }

  #callOf(name: OperationName, params: CanonicalValue): JudgedCall {
    const risk = this.#parts.outside.riskOf?.(name) ?? null;
    return { operation: `${name.connection}.${name.operation}`, params, risk };
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
    if (period === "run" && runId === null) return { count: 0, amount: 0, oldestAt: null };
    const run = period === "run" && runId !== null ? view.find("runs", runId) : null;
    const hasMany = run?.kind === "job" && !isOfIntent(run);
    if (period === "run" && !hasMany) return spentBy(view, runId, mutationId);
    // A job's calls are many, and not in the view; no other run records any while it is open.
    const after = period === "run" ? (run?.startedAt ?? now) - 1 : now - periodMs[period];
    const of = { connection, operation, after, except: mutationId };
    return this.#parts.store.sumUsage(view.workflow, of);
  }

  /**
   * An open run counts with all its time, with what no fact says of it yet, and one that has ended
   * for as long as its end lies in the window.
   */
  async #times(
    view: View,
    periods: ReadonlySet<Period>,
    { runId, now }: { readonly runId: string | null; readonly now: Instant },
  ): Promise<Times> {
    const times: { [per in Period]?: ActiveTime } = {};
    if (periods.size === 0) return times;
    const open = [...view.rows("runs")].find((run) => run.open) ?? null;
    const openMs = (open?.activeMs ?? 0) + (this.#parts.activeTime?.untoldMs ?? 0);
    for (const per of periods) {
      if (per === "run") {
        // Of a machine's intent no code runs by itself; one that is not there yet is the next.
        const ownMs = runId === null || (open !== null && open.runId !== runId) ? 0 : openMs;
        times.run = { activeMs: ownMs, openMs: ownMs, oldestAt: null };
        continue;
      }
      const ended = await this.#parts.store.sumActive(view.workflow, now - periodMs[per]);
      times[per] = { activeMs: ended.activeMs + openMs, openMs, oldestAt: ended.oldestAt };
    }
    return times;
  }

  /** Of a run everything, whenever it was: what it calls is charged to it until it ends. */
  #charged(
    { workflow }: View,
    { runId, mutationId }: Pick<Judged, "runId" | "mutationId">,
    { per, of, now }: Window & { readonly of: string; readonly now: Instant },
  ) {
    const except = mutationId === null ? null : { workflow, mutationId };
    const charged = { budget: of, except };
    if (per !== "run") {
      return this.#parts.store.sumBudget({ ...charged, after: now - periodMs[per] });
    }
    const run = { workflow, runId: runId ?? noRun };
    return this.#parts.store.sumBudget({ ...charged, run, after: 0 });
  }

  #nowFor(view: View): Instant {
    return Math.max(this.#parts.clock.now(), view.head.at);
  }
}

/** Of an intent that is not in the ledger yet: nothing is called under this name. */
const noRun = "";
const noneSpent: Spent = { count: 0, amount: 0, oldestAt: null };
const noneRan: ActiveTime = { activeMs: 0, openMs: 0, oldestAt: null };

type Versions = ReadonlyMap<string, number>;

function chargedTo(budget: string | null, versions: Versions): BudgetVersion | null {
  if (budget === null) return null;
  const version = versions.get(budget);
  invariant(version !== undefined, `budget ${budget} was looked at`);
  return { name: budget, version };
}

export type JudgedRead =
  | {
      readonly says: "yes";
      /** What it has to be counted as first; null = nothing limits it. */
      readonly counts:
        | (Omit<CountedRead, "readId" | "runId"> & {
            /** Where the answer says what it came to; null = nowhere. */
            readonly spent: string | null;
            readonly charged: BudgetVersion | null;
          })
        | null;
    }
  | (Omit<FailedRead, "says"> & { readonly says: "no" });

function notRead(
  failed: "permission" | "budget",
  message: string,
  location: string,
  retryAt: Instant | null,
): JudgedRead {
  return { says: "no", failure: { class: failed, message, location }, retryAt };
}

function nobodyToAsk(name: string): string {
  return `${name} is a read, and nobody can be asked about those: allow it or deny it`;
}

/** A run's own calls are all in the view. */
function spentBy(view: View, runId: string | null, except: string | null): Spent {
  let spent: Spent = { count: 0, amount: 0, oldestAt: null };
  for (const row of view.rows("mutations")) {
    if (row.runId !== runId || row.state === "failed" || row.mutationId === except) continue;
    spent = { ...spent, count: spent.count + 1, amount: spent.amount + (row.amount ?? 0) };
  }
  return spent;
}
