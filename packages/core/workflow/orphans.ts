import type { HandlerKind, HandlerRow, RunRow, TopicRow } from "../view/rows.ts";

/** What a workflow holds before a version is activated. */
export type Holdings = {
  readonly topics: readonly Pick<TopicRow, "name" | "declared" | "subscriber">[];
  readonly handlers: readonly Pick<
    HandlerRow,
    "name" | "kind" | "declared" | "subscribe" | "webhook" | "waitingCount"
  >[];
  /** Events that are pending or held, by topic; none = 0. */
  readonly pendingCounts: ReadonlyMap<string, number>;
  readonly openRun: Pick<RunRow, "runId" | "handler"> | null;
};

type Declarations = {
  readonly topics: readonly { readonly name: string; readonly subscriber: string | null }[];
  readonly handlers: readonly { readonly name: string; readonly webhook: boolean }[];
};

export type OrphanedTopic = {
  readonly topic: string;
  /** gone: no longer declared. unsubscribed: nobody works it off any more. */
  readonly why: "gone" | "unsubscribed";
  readonly pendingCount: number;
};

export type OrphanedHandler = {
  readonly handler: string;
  readonly kind: HandlerKind;
  /** gone: no longer declared. no_webhook: its deliveries wait, and nothing takes them. */
  readonly why: "gone" | "no_webhook";
  /** Events of topics it alone worked off, which nobody does now. */
  readonly pendingCount: number;
  readonly waitingCount: number;
  /** Its run that is open: it can end, but no retry has code to run. */
  readonly openRun: string | null;
};

export type Orphans = {
  readonly topics: readonly OrphanedTopic[];
  readonly handlers: readonly OrphanedHandler[];
};

/** What would be left without anybody to work it off. Nothing of it is lost, it waits. */
export function orphansOf(holdings: Holdings, version: Declarations): Orphans {
  const subscribers = new Map(version.topics.map(({ name, subscriber }) => [name, subscriber]));
  const topics = holdings.topics.flatMap(({ name, declared, subscriber }): OrphanedTopic[] => {
    const pendingCount = holdings.pendingCounts.get(name) ?? 0;
    if (!subscribers.has(name)) {
      // One that had gone before is told again only while something waits in it.
      return declared || pendingCount > 0 ? [{ topic: name, why: "gone", pendingCount }] : [];
    }
    const isLeft = subscriber !== null && subscribers.get(name) === null;
    return isLeft ? [{ topic: name, why: "unsubscribed", pendingCount }] : [];
  });
  return { topics, handlers: orphanedHandlers(holdings, version, topics) };
}

function orphanedHandlers(
  { handlers, openRun }: Holdings,
  version: Declarations,
  topics: readonly OrphanedTopic[],
): OrphanedHandler[] {
  return handlers.flatMap(({ name, kind, declared, subscribe, waitingCount }) => {
    if (!declared) return [];
    const after = version.handlers.find((handler) => handler.name === name);
    const why = after === undefined ? "gone" : "no_webhook";
    if (after !== undefined && (after.webhook || waitingCount === 0)) return [];
    const left = after === undefined ? topics.filter((each) => subscribe.includes(each.topic)) : [];
    const pendingCount = left.reduce((sum, each) => sum + each.pendingCount, 0);
    const runId = openRun?.handler === name ? openRun.runId : null;
    return [{ handler: name, kind, why, pendingCount, waitingCount, openRun: runId }];
  });
}
