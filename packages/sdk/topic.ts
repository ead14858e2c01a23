/** Topics, and the events a script reads from and publishes to them. */
import type { Json } from "./json.ts";
import type { Infer, InferInput, Schema } from "./schema.ts";

export type Topic = {
  /** Checked at every publish; also gives the payload its type. */
  readonly schema?: Schema;
  /** Nobody in the workflow subscribes: the events are there for people to see. */
  readonly observed?: boolean;
};

export type Topics = { readonly [topic: string]: Topic };

export type TopicName<T extends Topics> = keyof T & string;

/** A payload as it is read. */
export type Payload<T extends Topics, Name extends keyof T> = T[Name] extends {
  readonly schema: infer S;
}
  ? unknown extends Infer<S>
    ? Json
    : Infer<S>
  : Json;

/** A payload as it may be published. */
export type PayloadInput<T extends Topics, Name extends keyof T> = T[Name] extends {
  readonly schema: infer S;
}
  ? unknown extends InferInput<S>
    ? Json
    : InferInput<S>
  : Json;

/** An event as a script sees it. What the host keeps about it (status, owner) stays hidden. */
export type TopicEvent<Name extends string = string, P = Json> = {
  readonly topic: Name;
  readonly messageId: string;
  readonly title?: string;
  readonly payload: P;
};

export type EventOf<T extends Topics, Name extends TopicName<T>> = {
  [Each in Name]: TopicEvent<Each, Payload<T, Each>>;
}[Name];

/** Names one event. */
export type EventRef<Name extends string = string> = {
  readonly topic: Name;
  readonly messageId: string;
};

type Head = {
  /** Derived from a stable outside id; without it the host makes one that a retry makes again. */
  readonly messageId?: string;
  readonly title?: string;
};

/** Only a producer may say which input an event comes from; elsewhere it is inherited. */
type InputHead = { readonly inputId?: string };
type NoInputHead = { readonly inputId?: never };

type ReservedKey = "messageId" | "inputId" | "title" | "payload";

/** Fields beside the head instead of under `payload`; not where a field has a reserved name. */
type FlatPayload<P> = P extends readonly unknown[]
  ? never
  : P extends object
    ? Extract<KnownKeys<P>, ReservedKey> extends never
      ? P & { readonly payload?: never }
      : never
    : never;

type KnownKeys<P> = keyof { [Key in keyof P as string extends Key ? never : Key]: P[Key] };

/** A payload that fits every one of the named topics. */
type PayloadOfAll<T extends Topics, Name extends keyof T> = {
  [Each in Name]: (payload: PayloadInput<T, Each>) => void;
}[Name] extends (payload: infer P) => void
  ? P
  : never;

type OneOrMore<Value> = Value | readonly Value[];

type Publication<P, From> = Head & From & ({ readonly payload: P } | FlatPayload<P>);

/** What a producer publishes. */
export type ProducerPublication<P> = Publication<P, InputHead>;

/** What `next` and jobs publish. */
export type DerivedPublication<P> = Publication<P, NoInputHead>;

/** `Published` are the names after `publishes`, or all topics where it is left out. */
export interface Publisher<T extends Topics, Published extends TopicName<T>> {
  /**
   * Becomes visible with the commit of this handler, and not at all if it fails. Several topics
   * or events in one call are all published, or none is.
   */
  publish<Name extends Published>(
    topic: OneOrMore<Name>,
    event: OneOrMore<DerivedPublication<PayloadOfAll<T, Name>>>,
  ): Promise<void>;
}

export interface ProducerPublisher<T extends Topics, Published extends TopicName<T>> {
  /** As above; a producer may also say which input the event comes from. */
  publish<Name extends Published>(
    topic: OneOrMore<Name>,
    event: OneOrMore<ProducerPublication<PayloadOfAll<T, Name>>>,
  ): Promise<void>;
}

export interface TopicReader<T extends Topics, Subscribed extends TopicName<T>> {
  /** Pending events of a subscribed topic, oldest first. */
  peek<Name extends Subscribed>(
    topic: Name,
    options?: { readonly limit?: number },
  ): Promise<readonly TopicEvent<Name, Payload<T, Name>>[]>;
  /** The named events that are still pending. */
  getByIds<Name extends Subscribed>(
    topic: Name,
    ids: readonly string[],
  ): Promise<readonly TopicEvent<Name, Payload<T, Name>>[]>;
}
