import type {
  AnyResult,
  Connections,
  MutateCalls,
  MutateReads,
  ReadCalls,
  Sent,
} from "./connection.ts";
import type { Awaitable, AwaitableMaybe, Plain } from "./json.ts";
import { markKind } from "./mark-kind.ts";
import type { EventRef, Publisher, TopicName, TopicReader, Topics } from "./topic.ts";
import type { Logger, Trigger } from "./trigger.ts";

export type Reservation<Name extends string = string> = {
  readonly topic: Name;
  /** Message ids of pending events. */
  readonly ids: readonly string[];
};

/** What `prepare` returns: the exact events this run is about, and all that `mutate` needs. */
export type PrepareResult<Data, Name extends string = string> = {
  /** Empty = nothing to do now; `mutate` is left out and `next` runs with status none. */
  readonly reservations: readonly Reservation<Name>[];
  readonly data: Data;
  /** What the change means to the operator, such as "Send reply to alice@example.com". */
  readonly ui?: { readonly title?: string; readonly [key: string]: unknown };
  /** ISO 8601 time at which to look again, between 30 seconds and 24 hours from now. */
  readonly wakeAt?: string;
  readonly selectionId?: string;
  /** The reserved event that counts as the reason; the first one if left out. */
  readonly trigger?: EventRef<Name>;
};

/** What `mutate` and `next` get of it. */
export type Prepared<Data> = Omit<PrepareResult<Data>, "wakeAt">;

/** How the mutation ended. A failed or unknown one never gets this far. */
export type MutationResult<Result = unknown> =
  | { readonly status: "applied"; readonly result: Result }
  | { readonly status: "none" }
  | { readonly status: "skipped" };

export type PrepareContext<
  T extends Topics,
  C extends Connections,
  Subscribed extends TopicName<T> = TopicName<T>,
> = TopicReader<T, Subscribed> &
  Logger & { readonly trigger: Trigger<T, Subscribed> } & ReadCalls<C>;

/** Neither this nor `next` knows what started the run: both depend on what was pinned alone. */
export type MutateContext<C extends Connections, Reads extends MutateReads = "none"> = Logger &
  MutateCalls<C, Reads>;

export type NextContext<
  T extends Topics,
  Published extends TopicName<T> = TopicName<T>,
> = Publisher<T, Published> & Logger;

/** Write the phases in this order: the compiler learns `data` from `prepare`, reading downwards. */
export type ConsumerDefinition<
  T extends Topics,
  C extends Connections,
  Subscribed extends TopicName<T>,
  Published extends TopicName<T>,
  Reads extends MutateReads,
  Result extends PrepareResult<unknown, Subscribed>,
  Outcome,
  State,
> = {
  readonly subscribe: readonly [Subscribed, ...Subscribed[]];
  /** Allows reads by id or by key in `mutate`, before the one call. */
  readonly mutateReads?: Reads;
  /** After a proven failure: prepare afresh (the default), or `mutate` with what was pinned. */
  readonly onMutationFailed?: "prepare" | "replay";
  /** Chooses the events and computes everything. May read; changes and publishes nothing. */
  prepare(
    ctx: PrepareContext<T, C, Subscribed>,
    state: State | undefined,
  ): Awaitable<Result & WithPlainData<Result>>;
  /** Makes at most one mutation call, as its last act. Returning the call types `next`. */
  mutate?(
    ctx: MutateContext<C, Reads>,
    prepared: Prepared<Result["data"]>,
  ): AwaitableMaybe<Sent<Outcome>>;
} & Emitting<T, Published, Result["data"], Outcome, State>;

/** Inferred as a whole, branch by branch: `data` is then the union of what the branches give. */
type WithPlainData<Result extends { readonly data: unknown }> = {
  readonly data: Plain<Result["data"]>;
};

/** `publishes` needs a `next`: there is no other place in a consumer to publish from. */
type Emitting<T extends Topics, Published extends TopicName<T>, Data, Outcome, State> =
  | { readonly publishes?: never; readonly next?: never }
  | {
      readonly publishes?: readonly Published[];
      /** Always runs. What it returns becomes the state; undefined keeps the old one. */
      next(
        ctx: NextContext<T, Published>,
        prepared: Prepared<Data>,
        mutationResult: MutationResult<Outcome>,
      ): AwaitableMaybe<State & Plain<State>>;
    };

/** What `consumer()` returns. The last member is for the compiler only. */
export interface Consumer<T extends Topics, C extends Connections, Names = unknown> {
  readonly $kind: "consumer";
  readonly $names?: () => Names;
  $within?(topics: T, connections: C): void;
}

/** A handler that consumes events: `prepare`, then at most one mutation, then `next`. */
export function consumer<
  T extends Topics = Topics,
  C extends Connections = Connections,
  const Subscribed extends TopicName<T> = TopicName<T>,
  const Published extends TopicName<T> = TopicName<T>,
  const Reads extends MutateReads = "none",
  Result extends PrepareResult<unknown, NoInfer<Subscribed>> = PrepareResult<unknown, Subscribed>,
  Outcome = AnyResult<C>,
  State = unknown,
>(
  definition: ConsumerDefinition<T, C, Subscribed, Published, Reads, Result, Outcome, State>,
): Consumer<T, C, Subscribed | (string extends Published ? never : Published)> {
  return markKind("consumer", definition);
}
