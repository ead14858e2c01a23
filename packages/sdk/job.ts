import type { Connections, ItemCalls, ReadCalls } from "./connection.ts";
import type { Awaitable } from "./json.ts";
import { markKind } from "./mark-kind.ts";
import type { Publisher, TopicName, Topics } from "./topic.ts";
import type { Logger, StartedBy, Trigger } from "./trigger.ts";

export type Item = {
  /** Done or skipped: no mutation is allowed any more, and trying one aborts the run. */
  readonly isDone: boolean;
};

/** Inside `withItem`: every operation, mutations with their result. Items do not nest. */
export type ItemContext<
  T extends Topics,
  C extends Connections,
  Subscribed extends TopicName<T> = never,
  Published extends TopicName<T> = TopicName<T>,
> = { readonly item: Item; readonly trigger: Trigger<T, Subscribed> } & Publisher<T, Published> &
  Logger &
  ItemCalls<C>;

/**
 * Opens one piece of the work. The id is derived from a stable outside id and stays the same for
 * ever; the title must make sense alone in a notification. The handler runs also for items that
 * are done, so look at `ctx.item.isDone` first.
 */
export type WithItem<
  T extends Topics,
  C extends Connections,
  Subscribed extends TopicName<T> = never,
  Published extends TopicName<T> = TopicName<T>,
> = <Returned>(
  id: string,
  title: string,
  handler: (ctx: ItemContext<T, C, Subscribed, Published>) => Awaitable<Returned>,
) => Promise<Returned>;

/** Outside an item a job may read and publish. Mutations need an item. */
export type JobContext<
  T extends Topics,
  C extends Connections,
  Subscribed extends TopicName<T> = never,
  Published extends TopicName<T> = TopicName<T>,
> = {
  readonly withItem: WithItem<T, C, Subscribed, Published>;
  readonly trigger: Trigger<T, Subscribed>;
} & Publisher<T, Published> &
  Logger &
  ReadCalls<C>;

export type JobDefinition<
  T extends Topics,
  C extends Connections,
  Subscribed extends TopicName<T>,
  Published extends TopicName<T>,
> = JobStart<Subscribed> & {
  readonly publishes?: readonly Published[];
  handler(ctx: JobContext<T, C, Subscribed, Published>): Awaitable<unknown>;
};

type JobStart<Subscribed extends string> =
  | (StartedBy & { readonly subscribe?: never })
  | {
      /** A run per event; the event is reserved at the start and consumed at the end. */
      readonly subscribe: readonly [Subscribed, ...Subscribed[]];
      readonly schedule?: never;
      readonly webhook?: never;
      readonly manual?: never;
    };

/** What `job()` returns. The last member is for the compiler only. */
export interface Job<T extends Topics, C extends Connections, Names = unknown> {
  readonly $kind: "job";
  readonly $names?: () => Names;
  $within?(topics: T, connections: C): void;
}

/** A handler that works through items, with several mutations per item. */
export function job<
  T extends Topics = Topics,
  C extends Connections = Connections,
  const Subscribed extends TopicName<T> = never,
  const Published extends TopicName<T> = TopicName<T>,
>(
  definition: JobDefinition<T, C, Subscribed, Published>,
): Job<T, C, Subscribed | (string extends Published ? never : Published)> {
  return markKind("job", definition);
}
