import type { CanonicalValue, OperationKind } from "@holdfast/core";
import { type Declared, declaredOf } from "./declared.ts";
import type { ExactForm } from "./exact-form.ts";
import {
  type ForeseenGuarantee,
  type ForeseenLabel,
  type Guarantee,
  labelsOf,
  noGuarantee,
} from "./guarantee.ts";

/** What an `execute` is given. It makes one request, and none before `go` has answered. */
export type OperationCall<Account, Params> = {
  readonly account: Account;
  readonly params: Params;
  /** Belongs to these exact bytes; for a service that tells repeats by a key. Null in reads. */
  readonly key: string | null;
  readonly timeoutMs: number;
  /** Fires when nobody waits any more: the connection is to be ended, and nothing begun. */
  readonly signal: AbortSignal;
  /** The last thing before bytes leave. Throws NotSent, which has to be let through. */
  readonly go: () => void;
  /**
   * Progress, for a machine that asked for it. Never throws, and settles nothing: what came of the
   * call is what `execute` answers. Whose it is, the host knows.
   */
  readonly frame: (kind: string, payload: CanonicalValue) => void;
};

/** A call as the host makes it; without `frame` nobody wants to hear of progress. */
type Executing = Omit<OperationCall<unknown, unknown>, "account" | "params" | "frame"> &
  Partial<Pick<OperationCall<unknown, unknown>, "frame">>;

/** What a `reconcile` is given. It asks, and changes nothing outside. */
export type ReconcileCall<Account, Params> = {
  readonly account: Account;
  readonly params: Params;
  /** Under which the change was sent. */
  readonly key: string;
  readonly timeoutMs: number;
  /** Fires when nobody waits any more. */
  readonly signal: AbortSignal;
};

/** What was found out of a change whose answer was lost. */
export type Reconciled =
  /** `result` is what `execute` would have answered. */
  | { readonly says: "applied"; readonly result: CanonicalValue }
  /** It is not there; what that proves depends on how soon it would have to be visible. */
  | { readonly says: "not_found"; readonly note: string }
  /** Nothing can be said yet. */
  | { readonly says: "retry"; readonly note: string };

export type PayloadComparison = "equivalent" | "minor" | "significant";

/** What is not declared counts as high risk where it changes something. */
export type Operation<Account, Params> = Partial<Declared> & {
  readonly kind: OperationKind;
  /** How long one call may take; the account's own limit counts if it is shorter. */
  readonly timeoutMs?: number;
  /**
   * Parameters that hold references to secrets, as `{ key: name }`. The names are what is recorded,
   * judged and shown; `execute` and `reconcile` alone get a copy with the values in their place.
   */
  readonly secretParams?: readonly string[];
  /** Throws ConnectorError("logic", "no") with the path of what is wrong. */
  readonly readParams: (given: unknown, account: Account) => Params;
  /** What makes it this change and no other; what is left out may differ between two tries. */
  readonly identity: (params: Params) => CanonicalValue;
  /**
   * Of two calls that are the same change, the earlier of which was made: equivalent = nobody could
   * tell them apart, minor = different and acceptable. Absent = every difference is significant,
   * and a person is asked.
   */
  readonly comparePayload?: (before: Params, after: Params) => PayloadComparison;
  readonly target: (account: Account, params: Params) => string;
  /** One line for a person, from what will really be sent, to what `target` said. */
  readonly describe: (account: Account, params: Params, target: string) => string;
  /** Throws ConnectorError; anything else it throws counts as unknown. */
  readonly execute: (call: OperationCall<Account, Params>) => Promise<CanonicalValue>;
  /**
   * Of what a person says that `execute` would have answered: throws ConnectorError("logic", "no")
   * with the path of what is wrong. Absent = it may be anything.
   */
  readonly checkResult?: (given: CanonicalValue) => void;
  /** How machines may ask for it; absent = they cannot. */
  readonly exact?: ExactForm;
  /** Absent = nothing can be relied on when an answer was lost. */
  readonly guarantee?: (account: Account, params: Params) => Guarantee;
  /** The same before there is a call, for whoever deploys; needed beside `guarantee`. */
  readonly guarantees?: (account: Account) => readonly ForeseenGuarantee[];
  /**
   * What of the account decides how the service tells this call from others, and how it is found:
   * a header, a field, a lookup. No credentials. Where it changes while an outcome is unknown, the
   * call is not sent again, and not finding it proves nothing. Absent = the account has no say.
   */
  readonly keyedBy?: (account: Account, params: Params) => CanonicalValue;
  /**
   * Needed where the guarantee says so. A ConnectorError("transient", "no") says that nobody could
   * be asked; whatever else it throws says nothing, and it is asked again.
   */
  readonly reconcile?: (call: ReconcileCall<Account, Params>) => Promise<Reconciled>;
};

/** An account of an outside system, with what can be done there. Types end at this border. */
export interface Connected {
  /** Its name among the accounts of the host. */
  readonly account: string;
  readonly connector: string;
  readonly connectorVersion: string;
  readonly operations: Readonly<Record<string, ConnectedOperation>>;
}

export interface ConnectedOperation {
  readonly kind: OperationKind;
  readonly declared: Declared;
  /** Of one call. */
  readonly timeoutMs: number;
  /** Null = machines cannot ask for it. */
  readonly exact: ExactForm | null;
  /** Those in which names of secrets stand. */
  readonly secretParams: readonly string[];
  /** What can be relied on when an answer is lost; none = it changes nothing, or nobody knows. */
  readonly labels: readonly ForeseenLabel[];
  /** Checked before anything happens; throws ConnectorError. */
  admit(params: unknown): AdmittedCall;
  /** Throws ConnectorError with the path of what `execute` would never answer. */
  checkResult(given: CanonicalValue): void;
  /** What other parameters for the same change amount to. */
  compare(before: unknown, after: unknown): PayloadComparison;
}

export interface AdmittedCall {
  readonly identity: CanonicalValue;
  readonly target: string;
  readonly description: string;
  readonly guarantee: Guarantee;
  /** Null = the account has no say in it. */
  readonly keyedBy: CanonicalValue;
  execute(call: Executing): Promise<CanonicalValue>;
  /** Only where the guarantee says that it can. */
  reconcile(call: Omit<ReconcileCall<unknown, unknown>, "account" | "params">): Promise<Reconciled>;
}

/** Keeps beyond this process what a service gave in place of a credential; the host seals it. */
export interface Keeping {
  /** Null = nothing was kept. */
  read(): string | null;
  write(text: string): void;
}

/** For as long as the process lives. */
function keptInMemory(): Keeping {
  let text: string | null = null;
  return {
    read: () => text,
    write: (given) => {
      text = given;
    },
  };
}

export interface Connector {
  readonly name: string;
  readonly version: string;
  readonly kinds: Readonly<Record<string, OperationKind>>;
  /** By operation. */
  readonly declared: Readonly<Record<string, Declared>>;
  /** Of the operations that machines may ask for. */
  readonly exact: Readonly<Record<string, ExactForm>>;
  /** Throws with the path of what is wrong in the account. */
  connect(name: string, account: unknown, keeping?: Keeping): Connected;
}

export type ConnectorDefinition<Account extends { readonly timeoutMs: number }> = {
  readonly name: string;
  readonly version: string;
  readonly readAccount: (given: unknown, keeping: Keeping) => Account;
  // biome-ignore lint/suspicious/noExplicitAny: each operation has parameters of its own
  readonly operations: Readonly<Record<string, Operation<Account, any>>>;
};

/** Those that were made here; what only looks like one promises nothing. */
const made = new WeakSet<object>();

export function isConnector(given: unknown): given is Connector {
  return typeof given === "object" && given !== null && made.has(given);
}

export function defineConnector<Account extends { readonly timeoutMs: number }>(
  definition: ConnectorDefinition<Account>,
): Connector {
  const { name, version, operations } = definition;
  const entries = Object.entries(operations);
  const declared = Object.fromEntries(
    entries.map(([each, operation]) => [each, declaredOf(name, each, operation)]),
  );
  const connector: Connector = {
    name,
    version,
    kinds: Object.fromEntries(entries.map(([each, { kind }]) => [each, kind])),
    declared,
    exact: Object.fromEntries(
      entries.flatMap(([each, { exact }]) => (exact === undefined ? [] : [[each, exact]])),
    ),
    connect: (named, given, keeping = keptInMemory()) => {
      const account = definition.readAccount(given, keeping);
      const connected = entries.map(([each, operation]) => {
        const bound = bind(operation, account);
        return [each, { ...bound, declared: declaredOf(name, each, operation) }];
      });
      return {
        account: named,
        connector: name,
        connectorVersion: version,
        operations: Object.fromEntries(connected),
      };
    },
  };
  made.add(connector);
  return connector;
}

function bind<Account extends { readonly timeoutMs: number }, Params>(
  operation: Operation<Account, Params>,
  account: Account,
): Omit<ConnectedOperation, "declared"> {
  return {
    kind: operation.kind,
    exact: operation.exact ?? null,
    secretParams: operation.secretParams ?? [],
    timeoutMs: Math.min(operation.timeoutMs ?? account.timeoutMs, account.timeoutMs),
    labels: labelsOf(foreseenOf(operation, account)),
    checkResult: (given) => operation.checkResult?.(given),
    compare: (before, after) => {
      const { comparePayload, readParams } = operation;
      const read = (given: unknown) => readParams(given, account);
      return comparePayload?.(read(before), read(after)) ?? "significant";
    },
    admit: (given) => {
      const params = operation.readParams(given, account);
      const target = operation.target(account, params);
      return {
        identity: operation.identity(params),
        target,
        description: operation.describe(account, params, target),
        guarantee: guaranteeOf(operation, account, params),
        keyedBy: operation.keyedBy?.(account, params) ?? null,
        execute: ({ frame = () => {}, ...call }) =>
          operation.execute({ ...call, frame, account, params }),
        reconcile: (call) => {
          if (operation.reconcile === undefined) throw new Error("it cannot be asked");
          return operation.reconcile({ ...call, account, params });
        },
      };
    },
  };
}

function foreseenOf<Account, Params>(
  { kind, guarantee, guarantees }: Operation<Account, Params>,
  account: Account,
): readonly ForeseenGuarantee[] {
  if (kind !== "mutation") return [];
  if (guarantee === undefined) return [{ of: null, guarantee: noGuarantee }];
  return guarantees?.(account) ?? [];
}

function guaranteeOf<Account, Params>(
  { kind, guarantee, reconcile }: Operation<Account, Params>,
  account: Account,
  params: Params,
): Guarantee {
  if (kind !== "mutation" || guarantee === undefined) return noGuarantee;
  const given = guarantee(account, params);
  return { ...given, canReconcile: given.canReconcile && reconcile !== undefined };
}
