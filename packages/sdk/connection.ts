/**
 * Connections and the kinds of their operations. The kind is part of the type, so that a call
 * which the host would abort is already an error in the editor.
 */
import type { Flat, JsonObject } from "./json.ts";

declare const operation: unique symbol;
declare const operations: unique symbol;
declare const sent: unique symbol;

export type OperationKind = "read:list" | "read:byId" | "read:byKey" | "mutation" | "metered";

/** The type of one operation: what kind it is, what it takes, what it gives. */
export interface Operation<Kind extends OperationKind, Params, Result> {
  readonly [operation]: readonly [Kind, Params, Result];
}

/** Reads, by how they find what they read. Only the last two are ever allowed in `mutate`. */
export declare namespace read {
  /** Lists, searches, scans. */
  type list<Params, Result> = Operation<"read:list", Params, Result>;
  /** One thing by its identifier. */
  type byId<Params, Result> = Operation<"read:byId", Params, Result>;
  /** One thing by a key that is unique in the outside system. */
  type byKey<Params, Result> = Operation<"read:byKey", Params, Result>;
}

/** A change of the outside world; goes through the ledger. */
export type mutation<Params, Result> = Operation<"mutation", Params, Result>;

/** Changes nothing and costs money: a language model, for example. */
export type metered<Params, Result> = Operation<"metered", Params, Result>;

/** A workflow's use of a connector with one account. `Operations` is for the compiler only. */
export interface Connection<Operations = unknown> {
  readonly connector: string;
  readonly account?: string;
  readonly [operations]?: () => Operations;
}

export type Connections = { readonly [name: string]: Connection };

type OperationsOf<C> = C extends Connection<infer Operations> ? Operations : never;

/**
 * Declares a connection together with the types of its operations:
 * `connection<ShopOperations>({ connector: "http", account: "shop" })`.
 */
export function connection<
  Operations extends {
    readonly [Name in keyof Operations]: Operation<OperationKind, unknown, unknown>;
  },
>(definition: { readonly connector: string; readonly account?: string }): Connection<Operations> {
  return definition;
}

/** No value: a mutation of a consumer never returns to the script. It tells `next` the result. */
export interface Sent<Result> {
  readonly [sent]: Result;
}

/** Tells two mutations of one item apart that have the same identity. Never an index or a time. */
export type Subkey = { readonly subkey?: string };

/** An operation without parameters, or with optional ones only, is called with nothing. */
type Call<Params, Result> = undefined extends Params
  ? () => Promise<Result>
  : Record<never, never> extends Params
    ? (params?: Params) => Promise<Result>
    : (params: Params) => Promise<Result>;

/** Who is calling decides what a mutation gives back and what it takes besides its parameters. */
type Caller = "reader" | "consumer" | "job";

type CallOf<O, By extends Caller> =
  O extends Operation<infer Kind, infer Params, infer Result>
    ? Kind extends "mutation"
      ? By extends "job"
        ? Call<(undefined extends Params ? unknown : Params) & Subkey, Result>
        : Call<Params, Sent<Result>>
      : Call<Params, Result>
    : never;

type KindOf<O> = O extends Operation<infer Kind, unknown, unknown> ? Kind : never;

type TypedCalls<Operations, Kinds extends OperationKind, By extends Caller> = {
  readonly [Name in keyof Operations as KindOf<Operations[Name]> extends Kinds
    ? Name
    : never]: CallOf<Operations[Name], By>;
};

/** In `mutate` nobody can tell by the name whether the call reads or changes: it may be either. */
type UntypedResult<By extends Caller> = By extends "consumer"
  ? Sent<unknown> & { readonly [field: string]: unknown }
  : unknown;

/** Without declared operations the compiler knows nothing, and the host checks alone. */
type UntypedCalls<By extends Caller> = {
  readonly [name: string]: (params?: JsonObject) => Promise<UntypedResult<By>>;
};

type CallsOf<C, Kinds extends OperationKind, By extends Caller> =
  unknown extends OperationsOf<C> ? UntypedCalls<By> : Flat<TypedCalls<OperationsOf<C>, Kinds, By>>;

type ReadKind = Exclude<OperationKind, "mutation">;

/** `ctx.<connection>` where outside things are only looked at: producers, `prepare`, jobs. */
export type ReadCalls<C extends Connections> = {
  readonly [Name in keyof C]: CallsOf<C[Name], ReadKind, "reader">;
};

/** Whether `mutate` may look up single things right before its one call. */
export type MutateReads = "none" | "byId";

type MutateKind<Reads extends MutateReads> =
  | "mutation"
  | (Reads extends "byId" ? "read:byId" | "read:byKey" : never);

/** `ctx.<connection>` in `mutate`. */
export type MutateCalls<C extends Connections, Reads extends MutateReads> = {
  readonly [Name in keyof C]: CallsOf<C[Name], MutateKind<Reads>, "consumer">;
};

/** `ctx.<connection>` inside an item of a job: everything, and mutations give their result. */
export type ItemCalls<C extends Connections> = {
  readonly [Name in keyof C]: CallsOf<C[Name], OperationKind, "job">;
};

/** A connection as a global of a job's script: `declare const mail: JobConnection<…>`. */
export type JobConnection<Operations> = CallsOf<Connection<Operations>, OperationKind, "job">;

type ResultsOf<Operations> = {
  [Name in keyof Operations]: Operations[Name] extends Operation<"mutation", unknown, infer Result>
    ? Result
    : never;
}[keyof Operations];

/** What any mutation of any connection may give: known only if all operations are declared. */
export type AnyResult<C extends Connections> = {
  [Name in keyof C]: unknown extends OperationsOf<C[Name]>
    ? unknown
    : ResultsOf<OperationsOf<C[Name]>>;
}[keyof C];
