import type {
  CanonicalValue,
  FactKind,
  FailureClass,
  HostedScript,
  Instant,
  JsonText,
  OperationName,
  PhaseOutcome,
  RiskTier,
  RunFailure,
  SendOutcome,
  SignedWord,
  TerminalCall,
} from "@holdfast/core";
import type { Executor } from "@holdfast/core/machine";

/** Finds what was deployed, by its hash. */
export interface ScriptLibrary {
  load(workflow: string, scriptHash: string): Promise<HostedScript>;
  /** Nothing of the workflow is under way, and this host gives it back. */
  letGo?(workflow: string): void;
}

export type FailedRead = Extract<ReadOutcome, { says: "failed" }>;

/** What a read came to. Only a value reaches the script. */
export type ReadOutcome =
  | {
      readonly says: "value";
      readonly value: JsonText | null;
      readonly signed?: SignedWord;
    }
  | {
      readonly says: "failed";
      readonly signed?: SignedWord;
      readonly failure: RunFailure & { readonly class: Exclude<FailureClass, "indeterminate"> };
      readonly retryAt: Instant | null;
    };

/** What the ledger has to know of a call before it may be sent. */
export type DescribedCall = {
  readonly connector: string;
  readonly connectorVersion: string;
  readonly target: string;
  readonly identity: Uint8Array;
  readonly payload: Uint8Array;
  readonly canReconcile: boolean;
  readonly retentionMs: number | null;
  readonly visibilityDelayMs: number | null;
  readonly timeoutMs: number;
  /** One line for a person, made from what will really be sent. */
  readonly preview: string;
  /** Of how it is keyed; absent = nobody can tell. */
  readonly keyed?: string;
};

/** How a service tells a call from others, and how it is found, as its account is set up now. */
export type Keyed = {
  readonly hash: string;
  /** The service remembers the key, and this process may send it again. */
  readonly remembers: boolean;
};

/** What other bytes for the same change amount to; a person is asked about significant ones. */
export type PayloadComparison = "equivalent" | "minor" | "significant";

/** Of a machine: what a call is for, and which time it goes out. */
export type IntentRef = {
  readonly workflow: string;
  readonly intentId: string;
  /** One word for each time that it may be executed. */
  readonly handout: string;
  /** Null = as the connector is now. */
  readonly executor: Executor | null;
};

/** Of a change: by what the ledger calls it, so that whoever hears of it late finds it. */
export function handoutOf(sent: { readonly mutationId: string; readonly sendCount: number }) {
  return `${sent.mutationId}/${sent.sendCount}`;
}

/** Absent = it is no machine's. */
export type OfIntent = { readonly intent?: IntentRef };

export type SentCall = OfIntent & {
  readonly connection: string;
  readonly operation: string;
  /** As recorded: a call may not go to anywhere else. */
  readonly target: string;
  /** Canonical bytes, as recorded. */
  readonly payload: Uint8Array;
  readonly providerKey: string;
  readonly timeoutMs: number;
  /** As it was recorded or sent; null = it was sent otherwise, absent = nobody could tell. */
  readonly keyed?: string | null;
};

/** What the service says of a change whose answer was lost. */
export type Finding =
  | { readonly says: "applied"; readonly result: Uint8Array }
  | { readonly says: "not_found"; readonly note: string }
  | { readonly says: "retry"; readonly note: string }
  /** Nobody could be asked. */
  | { readonly says: "unreachable"; readonly note: string };

/** Takes what a connector says while it is at it. */
export type OnFrame = (frame: { readonly kind: string; readonly payload: CanonicalValue }) => void;

/** Nothing of it has left this process. */
export type Unsent = {
  readonly says: "unsent";
  /** It lay there for this executor, which did not come; absent = it was for none. */
  readonly awaitsExecutor?: string;
};

/** The outside world of one workflow. Everything it answers is a value; what it throws is a bug. */
export interface OutsideWorld {
  /** `signal` fires when nobody waits for the answer any more; so do the other two. */
  read(call: TerminalCall & OfIntent, signal: AbortSignal, onFrame?: OnFrame): Promise<ReadOutcome>;
  /** Checked against the operation's own schema, before any I/O. */
  describe(call: TerminalCall): DescribedCall | RunFailure;
  /**
   * One request. `mayGo` is asked as the last thing before bytes leave; if it says no, nothing was
   * sent, and that is the answer. Broken off after that, it is unknown.
   */
  send(
    call: SentCall,
    mayGo: () => boolean,
    signal: AbortSignal,
    onFrame?: OnFrame,
  ): Promise<SendOutcome | Unsent>;
  /**
   * Machines ask in exact values, and are answered in them: what the operation's parameters are,
   * and its result. Absent = as they are. `openExact` may throw for what it cannot read.
   */
  openExact?(call: OperationName, given: CanonicalValue): CanonicalValue;
  closeExact?(call: OperationName, result: CanonicalValue): CanonicalValue;
  /** Of canonical bytes of two calls that are the same change; absent = nobody can tell. */
  compare?(
    call: OperationName,
    payloads: { readonly before: Uint8Array; readonly after: Uint8Array },
  ): PayloadComparison;
  /**
   * Whom a read or a metered call would go to, as the connection is set up; null = it cannot be
   * made. Absent = nobody can tell.
   */
  goesTo?(call: TerminalCall): string | null;
  /** Null = the call cannot be made. Absent = nobody can tell. */
  keyedOf?(call: TerminalCall): Keyed | null;
  /** Whether it changes nothing and costs; absent = no. */
  isMetered?(call: OperationName): boolean;
  /**
   * The executor in another process that makes it, of which nobody here knows when it ends; absent
   * or null = this one makes it.
   */
  executorOf?(call: OperationName): string | null;
  /** What its connector says of it; absent or null = nobody has said anything. */
  riskOf?(call: OperationName): RiskTier | null;
  /** Asks whether a call that was sent has happened; sends nothing, and never throws. */
  reconcile(call: SentCall, signal: AbortSignal): Promise<Finding>;
}

export type EngineClock = {
  /** May be wrong and may jump; the time of a workflow never goes back all the same. */
  now(): Instant;
};

/** For people and tests; what it throws ends the process. */
export type EngineObserver = {
  onPhase?(phase: {
    readonly workflow: string;
    readonly runId: string;
    readonly phase: string;
    readonly outcome: PhaseOutcome;
  }): void;
  /** A person is asked, and that is durable. */
  onQuestion?(asked: { readonly workflow: string; readonly attentionId: string }): void;
  /** The workflow has moved on, and that is durable. */
  onCommitted?(workflow: string, facts: readonly FactKind[]): void;
  /** Nobody waited for it any more, and the store did not take it. */
  onLateAnswerLost?(late: {
    readonly workflow: string;
    readonly mutationId: string;
    readonly error: unknown;
  }): void;
};
