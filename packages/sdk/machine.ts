import { markKind } from "./mark-kind.ts";
import type { Infer, InferInput, Schema } from "./schema.ts";
import type { PayloadInput, TopicName, Topics } from "./topic.ts";

/** The field of the event that names the cell, such as `order_id` or `$value.order_id`. */
export type MachineSubscription<Name extends string> = {
  readonly topic: Name;
  readonly key?: string;
};

/** What effects are given: plain data, with exact integers and bytes; no fractions. */
export type Data =
  | string
  | number
  | bigint
  | boolean
  | null
  | Uint8Array
  | readonly Data[]
  | { readonly [name: string]: Data | undefined };

/**
 * A request for outside work, by the name of a declared effect: `<connector>/<operation>@<n>`, with
 * the connection in `params`, or one of the host's. Its receipt comes as an event.
 */
export type Effect<Name extends string = string> = {
  readonly effect: Name;
  readonly params: Data;
  /** Makes two requests one: the same key asks for the same work. */
  readonly key?: string;
  /** Comes back in the receipt, unchanged. */
  readonly issuerRef?: string;
  /** Not sent later than this after the event; a read that takes longer brings `timeout`. */
  readonly deadlineMs?: number;
};

export type EmittedEvent<T extends Topics> = {
  [Name in TopicName<T>]: {
    readonly topic: Name;
    readonly messageId?: string;
    readonly payload: PayloadInput<T, Name>;
  };
}[TopicName<T>];

/** Time and randomness come from the event's stamp: `Date` and `Math.random` repeat on replay. */
export interface StepContext<Key> {
  /** The cell's key; null for a machine without keys. */
  readonly key: Key;
}

/** What a machine with `context: true` knows of the moment; the same on every replay. */
export interface StepMoment {
  readonly nowNs: bigint;
  /** Never goes back, whatever the clock does. */
  readonly logicalNowNs: bigint;
  /** The event's place in the journal. */
  readonly height: number;
  /** 64 bytes that nobody could foretell. */
  readonly entropy: Uint8Array;
  readonly eventHash: string;
  readonly manifestHash: string;
  /** `<workflow>/<machine>@<n>` */
  readonly machine: string;
  readonly machineHash: string | null;
}

/** Whose state it is, and what the cell was: of the version before. */
export interface MigrationSource<Key> {
  readonly key: Key;
  readonly machineHash: string;
  readonly manifestHash: string;
}

export type StepResult<State, Event, EffectName extends string, Annotations> = {
  /** The new state; null ends the cell and forgets it. */
  readonly state: State | null;
  readonly events?: readonly Event[];
  readonly effects?: readonly Effect<EffectName>[];
  /** Ends the cell and keeps its state. */
  readonly done?: boolean;
  readonly annotations?: Annotations;
};

export type MachineDefinition<
  T extends Topics,
  State extends Schema,
  Event extends Schema,
  Key extends Schema,
  Annotations extends Schema,
  EffectName extends string,
  Subscribed extends TopicName<T>,
  Context extends boolean = boolean,
> = {
  readonly state: State;
  readonly event: Event;
  /** Given: one cell per key. Left out: one cell. */
  readonly key?: Key;
  /** True: the step's ctx also has the moment. */
  readonly context?: Context;
  readonly annotations?: Annotations;
  readonly version?: number;
  /** Every effect a step may ask for; `[]` if none. */
  readonly effects: readonly EffectName[];
  readonly subscribe: readonly MachineSubscription<Subscribed>[];
  /** The same arguments must give the same answer: no waiting, no reads. */
  step(
    state: Infer<State> | null,
    event: Infer<Event>,
    ctx: StepContext<unknown extends Infer<Key> ? null : Infer<Key>> &
      (Context extends true ? StepMoment : unknown),
  ): StepResult<InferInput<State>, EmittedEvent<T>, NoInfer<EffectName>, InferInput<Annotations>>;
  /**
   * The state of a cell that an earlier version left, as this one takes it. Called for every cell
   * when a version with another schema of the state is tried, and again when it is applied.
   */
  migrate?(
    state: unknown,
    from: MigrationSource<unknown extends Infer<Key> ? null : Infer<Key>>,
  ): InferInput<State>;
};

/** What `machine()` returns. The last member is for the compiler only. */
export interface Machine<T extends Topics, Names = unknown> {
  readonly $kind: "machine";
  readonly $names?: () => Names;
  $within?(topics: T): void;
}

/** A deterministic state machine. */
export function machine<
  T extends Topics = Topics,
  State extends Schema = Schema,
  Event extends Schema = Schema,
  Key extends Schema = Schema,
  Annotations extends Schema = Schema,
  const EffectName extends string = never,
  const Subscribed extends TopicName<T> = TopicName<T>,
  const Context extends boolean = false,
>(
  definition: MachineDefinition<T, State, Event, Key, Annotations, EffectName, Subscribed, Context>,
): Machine<T, string extends Subscribed ? never : Subscribed> {
  return markKind("machine", definition);
}
