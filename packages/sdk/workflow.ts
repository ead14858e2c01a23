import type { AnyResult, Connections } from "./connection.ts";
import type { Consumer, ConsumerDefinition, PrepareResult } from "./consumer.ts";
import type { Job, JobContext, JobDefinition } from "./job.ts";
import type { Awaitable, Fixed, Json } from "./json.ts";
import type { Machine } from "./machine.ts";
import { markKind } from "./mark-kind.ts";
import type { Producer, ProducerContext, ProducerDefinition } from "./producer.ts";
import type { TopicName, Topics } from "./topic.ts";

/** A producer without a schedule: a person starts it. */
type BareProducer<T extends Topics, C extends Connections> = (
  ctx: ProducerContext<T, C>,
  state: never,
) => Awaitable<unknown>;

type PlainProducer<T extends Topics, C extends Connections> = ProducerDefinition<
  T,
  C,
  TopicName<T>,
  Json
>;

/** Written without `consumer()`: the compiler then knows less, and `data` is any JSON. */
type PlainConsumer<T extends Topics, C extends Connections> = ConsumerDefinition<
  T,
  C,
  TopicName<T>,
  TopicName<T>,
  "none",
  PrepareResult<Json, TopicName<T>>,
  AnyResult<C>,
  Json
>;

type PlainJob<T extends Topics, C extends Connections> = JobDefinition<
  T,
  C,
  TopicName<T>,
  TopicName<T>
>;

export type WorkflowDefinition<T extends Topics, C extends Connections> = {
  readonly name: string;
  /** `ctx.<name>` for every handler. */
  readonly connections?: C;
  /** Secrets of the host that calls may name; a script never sees what they stand for. */
  readonly secrets?: {
    readonly [name: string]: { readonly binding: string; readonly digest?: string };
  };
  readonly topics: T;
  readonly producers?: {
    readonly [name: string]:
      | Producer<Fixed<T>, Fixed<C>, TopicName<T>>
      | PlainProducer<T, C>
      | BareProducer<T, C>;
  };
  readonly consumers?: {
    readonly [name: string]: Consumer<Fixed<T>, Fixed<C>, TopicName<T>> | PlainConsumer<T, C>;
  };
  readonly jobs?: {
    readonly [name: string]:
      | Job<Fixed<T>, Fixed<C>, TopicName<T>>
      | PlainJob<T, C>
      | ((ctx: JobContext<T, C>) => Awaitable<unknown>);
  };
  readonly machines?: {
    readonly [name: string]: Machine<Fixed<T>, TopicName<T>>;
  };
};

export type Workflow = { readonly $kind: "workflow"; readonly name: string };

/**
 * The whole script: `export default workflow({ … })`.
 *
 * Handlers made with `consumer()`, `producer()`, `job()` or `machine()` learn the topics and the
 * connections if these are declared first and named here, since the compiler looks at the inner
 * calls before it has seen the outer object:
 * `workflow<typeof topics, typeof connections>({ topics, connections, … })`.
 */
export function workflow<
  const T extends Topics,
  const C extends Connections = Record<never, never>,
>(definition: WorkflowDefinition<T, C>): Workflow {
  return markKind("workflow", definition);
}
