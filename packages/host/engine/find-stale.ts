import {
  type EventRow,
  type InputRow,
  type Instant,
  isStaleInput,
  type Need,
  type Policy,
  type Store,
  View,
} from "@holdfast/core";

/** Of each topic, the oldest; and of what came in, the newest that is old enough. */
const lookedAtMax = 200;

export type StaleInput = {
  readonly input: InputRow;
  /** The highest attempt of its events; 0 = it has none. */
  readonly attempt: number;
  /** How many are stale, it among them, as far as was looked. */
  readonly count: number;
  readonly isMore: boolean;
};

type LookedAt = { readonly now: Instant; readonly policy: Policy };
type Found = { readonly ids: ReadonlySet<string>; readonly isMore: boolean };
type FromStore = Pick<Store, "load" | "peek" | "listRows">;

/**
 * The oldest input of a workflow that is stale. No row says which is pending, so they are found by
 * what they wait for: the oldest events of every topic, what the open run holds, the oldest pushes
 * that wait. One that caused nothing, or that only machines still have, is found among the newest
 * that are old enough. Everything is read by an index, and what is done is not gone through.
 */
export async function findStale(
  store: FromStore,
  workflow: string,
  looked: LookedAt,
): Promise<StaleInput | null> {
  const old = await listOld(store, workflow, looked);
  if (old.length === 0) return null;
  const base = await loadView(store, workflow, [{ kind: "base" }], looked.policy);
  if (base.find("workflows")?.status === "archived") return null;
  const waiting = await listWaiting(store, base, looked.policy);
  const ids = [...new Set([...old.map(({ inputId }) => inputId), ...waiting.ids])];
  const isMore = waiting.isMore || old.length === lookedAtMax;
  return oldestOf(store, workflow, { ids, isMore, ...looked });
}

function listOld(
  store: FromStore,
  workflow: string,
  { now, policy }: LookedAt,
): Promise<readonly InputRow[]> {
  const list = { workflow, list: "inputs", of: [], downTo: null } as const;
  const after = [now - policy.staleInputMs, ""];
  return store.listRows({ ...list, after, limit: lookedAtMax });
}

async function listWaiting(store: FromStore, base: View, policy: Policy): Promise<Found> {
  const { workflow } = base;
  const ids = new Set<string>();
  let isMore = false;
  const add = (events: readonly EventRow[]) => {
    for (const { causedBy } of events) for (const inputId of causedBy) ids.add(inputId);
  };
  add(base.rows("events"));
  for (const { name, observed } of base.rows("topics")) {
    if (observed) continue;
    const { events } = await store.peek(workflow, name, lookedAtMax);
    isMore ||= events.length === lookedAtMax;
    add(events);
  }
  const pushed = base.rows("handlers").filter(({ waitingCount }) => waitingCount > 0);
  const needs = pushed.map(({ name }) => ({ kind: "waiting_deliveries", handler: name }) as const);
  if (needs.length > 0) {
    const deliveries = (await loadView(store, workflow, needs, policy)).rows("deliveries");
    for (const { inputId } of deliveries) ids.add(inputId);
    const waitingCount = pushed.reduce((sum, each) => sum + each.waitingCount, 0);
    isMore ||= waitingCount > deliveries.length;
  }
  return { ids, isMore };
}

/** Which of them are stale is for the core to say. */
async function oldestOf(
  store: FromStore,
  workflow: string,
  { ids, isMore, now, policy }: LookedAt & { ids: readonly string[]; isMore: boolean },
): Promise<StaleInput | null> {
  let oldest: Pick<StaleInput, "input" | "attempt"> | null = null;
  let count = 0;
  for (let from = 0; from < ids.length; from += lookedAtMax) {
    const some = ids.slice(from, from + lookedAtMax);
    const needs = some.map((inputId) => ({ kind: "input", inputId }) as const);
    const view = await loadView(store, workflow, needs, policy);
    for (const inputId of some) {
      if (!isStaleInput(view, inputId, now)) continue;
      count += 1;
      const input = view.load("inputs", inputId);
      if (oldest !== null && !isBefore(input, oldest.input)) continue;
      oldest = { input, attempt: attemptOf(view, inputId) };
    }
  }
  return oldest && { ...oldest, count, isMore };
}

function isBefore(one: InputRow, other: InputRow): boolean {
  const age = one.createdAt - other.createdAt;
  return age < 0 || (age === 0 && one.inputId < other.inputId);
}

function attemptOf(view: View, inputId: string): number {
  const own = view.rows("events").filter(({ causedBy }) => causedBy.includes(inputId));
  return Math.max(0, ...own.map(({ attempt }) => attempt));
}

async function loadView(
  store: FromStore,
  workflow: string,
  needs: readonly Need[],
  policy: Policy,
): Promise<View> {
  return View.fromLoaded(await store.load(workflow, needs), policy);
}
