import {
  type ActivateVersion,
  type Difference,
  decide,
  declaredIn,
  differencesOf,
  fitsForms,
  type Instant,
  needsOf,
  type Orphans,
  orphansOf,
  type Policy,
  policyDefaults,
  type Refusal,
  type Store,
  View,
} from "@holdfast/core";

/** Pending events of a topic are counted no further: more makes no difference to the choice. */
export const pendingCountedMax = 1_000;

export type VersionPreview = {
  /** What activating it now would come to; null = it would be accepted. */
  readonly refusal: Refusal | null;
  /** What a minor version may not have. */
  readonly differences: readonly Difference[];
  /** What would be left without anybody to work it off, with at most `pendingCountedMax` each. */
  readonly orphans: Orphans;
  /** Items that no job would meet again, as far as their ids say; at most a few of each job. */
  readonly items: readonly OrphanedItems[];
};

export type OrphanedItems = {
  readonly job: string;
  readonly count: number;
  readonly itemIds: readonly string[];
};

/** So many are named; the others are counted. */
const itemsNamedMax = 20;

/** What a version would do, before anybody decides; nothing is changed. */
export async function previewVersion(
  store: Pick<Store, "load" | "peek" | "scan">,
  workflow: string,
  version: Omit<ActivateVersion, "kind" | "actor">,
  { now, policy = policyDefaults }: { readonly now: Instant; readonly policy?: Policy },
): Promise<VersionPreview> {
  const command: ActivateVersion = { ...version, kind: "activate_version", actor: "preview" };
  const loaded = await store.load(workflow, [{ kind: "base" }]);
  const needs = needsOf(View.fromLoaded(loaded, policy), command);
  // Again as one load, so that everything is of one moment.
  const view = View.fromLoaded(await store.load(workflow, [{ kind: "base" }, ...needs]), policy);
  const decision = decide(view, command, now);
  const topics = [...view.rows("topics")];
  const names = topics.map(({ name }) => name);
  return {
    refusal: decision.ok ? null : decision.refusal,
    differences: differencesOf(declaredIn(view), command),
    orphans: orphansOf(
      {
        topics,
        handlers: [...view.rows("handlers")],
        pendingCounts: await pendingCounts(store, view, names),
        openRun: [...view.rows("runs")].find((run) => run.open) ?? null,
      },
      command,
    ),
    items: await orphanedItems(store, view, command),
  };
}

/** What is done stays done under its old id: a new one is worked on from its beginning. */
async function orphanedItems(
  store: Pick<Store, "scan">,
  view: View,
  { handlers }: ActivateVersion,
): Promise<readonly OrphanedItems[]> {
  const found = new Map<string, { count: number; itemIds: string[] }>();
  for await (const { itemId, handler: job, status } of store.scan(view.workflow, "items")) {
    // What a machine asked for is an item too, and of its own cell alone.
    if (view.find("handlers", job) === null) continue;
    const after = handlers.find(({ name }) => name === job);
    if (status === "skipped" || (after && fitsForms(itemId, after.forms ?? null))) continue;
    const ofJob = found.get(job) ?? { count: 0, itemIds: [] };
    ofJob.count += 1;
    if (ofJob.itemIds.length < itemsNamedMax) ofJob.itemIds.push(itemId);
    found.set(job, ofJob);
  }
  return [...found].map(([job, ofJob]) => ({ job, ...ofJob }));
}

async function pendingCounts(
  store: Pick<Store, "peek">,
  view: View,
  topics: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const counted = topics.map(async (topic) => {
    const { events } = await store.peek(view.workflow, topic, pendingCountedMax);
    const held = [...view.rows("events")].filter(
      (event) => event.topic === topic && event.reservedBy !== null,
    );
    return [topic, Math.min(events.length + held.length, pendingCountedMax)] as const;
  });
  return new Map(await Promise.all(counted));
}
