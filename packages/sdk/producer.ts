import type { Connections, ReadCalls } from "./connection.ts";
import type { AwaitableMaybe, Json, Plain } from "./json.ts";
import { markKind } from "./mark-kind.ts";
import type { ProducerPublisher, TopicName, Topics } from "./topic.ts";
import type { Logger, StartedBy, Trigger } from "./trigger.ts";

/** What came from outside, in the operator's words. */
export type InputDescription = {
  readonly source: string;
  readonly type: string;
  readonly id: string;
  readonly title: string;
};

/** A producer's own notes; kept with its state, cleared by the same reset, seen by nobody. */
export interface KeyValueStore {
  get(key: string): Promise<Json | undefined>;
  set(key: string, value: Json): Promise<void>;
  delete(key: string): Promise<void>;
}

export interface InputRegistry {
  /** The same source, type and id give the same input id, however often it is asked. */
  registerInput(input: InputDescription): Promise<string>;
}

export type ProducerContext<
  T extends Topics,
  C extends Connections,
  Published extends TopicName<T> = TopicName<T>,
> = ProducerPublisher<T, Published> &
  InputRegistry &
  Logger & { readonly kv: KeyValueStore; readonly trigger: Trigger<T> } & ReadCalls<C>;

export type ProducerDefinition<
  T extends Topics,
  C extends Connections,
  Published extends TopicName<T>,
  State,
> = StartedBy & {
  /** Topics it may publish to; without it, any topic of the workflow. */
  readonly publishes?: readonly Published[];
  /**
   * Gets what it returned last time (undefined at first) and returns what it wants next time.
   * The state is committed together with everything published, or not at all.
   */
  handler(
    ctx: ProducerContext<T, C, Published>,
    state: State | undefined,
  ): AwaitableMaybe<State & Plain<State>>;
};

/** What `producer()` returns. The last member is for the compiler only. */
export interface Producer<T extends Topics, C extends Connections, Names = unknown> {
  readonly $kind: "producer";
  readonly $names?: () => Names;
  $within?(topics: T, connections: C): void;
}

/** A handler that looks at the outside and publishes what it finds. It changes nothing. */
export function producer<
  T extends Topics = Topics,
  C extends Connections = Connections,
  const Published extends TopicName<T> = TopicName<T>,
  State = unknown,
>(
  definition: ProducerDefinition<T, C, Published, State>,
): Producer<T, C, string extends Published ? never : Published> {
  return markKind("producer", definition);
}
