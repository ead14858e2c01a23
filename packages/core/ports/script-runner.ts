import type { ChainAnswer, StepChain } from "../machine/chain.ts";
import type { JournalAnswer, JournalAsk } from "../machine/journal-runner.ts";
import type { MachineLimits } from "../machine/limits.ts";
import type { MachineSet } from "../machine/machine-set.ts";
import type { MigrationCall } from "../machine/migration.ts";
import type { PublicKey } from "../machine/signature.ts";
import type { StepAnswer } from "../machine/step.ts";
import type { Instant } from "../view/rows.ts";

/**
 * Runs phases of scripts, each in a world of its own. Whoever fulfills it never throws because of
 * a script, and lets nothing of the script run after its end was decided.
 */

/** Kinds of operations that connections have. */
export const operationKinds = [
  "read:list",
  "read:byId",
  "read:byKey",
  "mutation",
  "metered",
] as const;
export type OperationKind = (typeof operationKinds)[number];

export type ScriptPhase = "producer" | "prepare" | "mutate" | "next" | "job" | "step";

/** JSON as text: it goes through the host unread. */
export type JsonText = string;

/** Operations by connection and name. */
export type Connections = Readonly<Record<string, Readonly<Record<string, OperationKind>>>>;

/** The answer to a call that the script has not made yet; it is given only if the call comes. */
export type Foreseen = {
  readonly name: string;
  readonly params: JsonText;
  readonly value: JsonText | null;
};

/** One call of one handler: everything it may see and do. */
export type PhaseCall = {
  readonly phase: ScriptPhase;
  readonly handler: string;
  /** Absent = undefined in the script. */
  readonly given: {
    readonly state?: JsonText;
    readonly prepared?: JsonText;
    readonly mutationResult?: JsonText;
    readonly event?: JsonText;
    readonly context?: JsonText;
    /** Of a step alone: then the machine's `migrate` is called instead, with the state and this. */
    readonly from?: JsonText;
  };
  /** Of a step alone: bytes that what is given has by their number. */
  readonly beside?: readonly Uint8Array[];
  readonly trigger?: JsonText;
  readonly connections: Connections;
  readonly subscribe: readonly string[];
  readonly publishes: readonly string[];
  readonly mutateReads: "none" | "byId";
  /** What the clock shows at the beginning. In mutate and next it stands still. */
  readonly now: Instant;
  readonly seed: string;
  /** What is asked for as foreseen costs no way back and forth; `perform` still hears of it. */
  readonly foreseen?: readonly Foreseen[];
};

/** What the host does for the script while it waits. */
export type GuestCall = {
  readonly callId: number;
  /** "ctx.peek" and the like, or "<connection>.<operation>". */
  readonly name: string;
  readonly kind: OperationKind | "context";
  readonly params: JsonText;
};

/** What the host answers a call with. A call that failed, or has to wait, stops the run. */
export type CallAnswer =
  | { readonly kind: "value"; readonly value: JsonText | null }
  | { readonly kind: "stop"; readonly reason: unknown };

/** The one mutation a consumer ends its mutate with. */
export type TerminalCall = {
  readonly connection: string;
  readonly operation: string;
  readonly params: JsonText;
};

export type ScriptPublication = {
  readonly topic: string;
  readonly messageId: string | null;
  readonly inputId: string | null;
  readonly title: string | null;
  readonly payload: JsonText;
};

export type RegisteredInput = {
  readonly inputId: string;
  readonly source: string;
  readonly type: string;
  readonly externalId: string;
  readonly title: string;
};

export type ScriptKvWrite = { readonly key: string; readonly value: JsonText | null };

export type LogLine = { readonly at: Instant; readonly text: string };

/** What a phase did besides its result, in order. */
export type PhaseRecord = {
  readonly logs: LogLine[];
  readonly inputs: RegisteredInput[];
  readonly publications: ScriptPublication[];
  readonly kvWrites: ScriptKvWrite[];
};

/** Why a script was ended, with a code that has a page in docs/errors. */
export type ScriptFailure = {
  readonly code: string;
  /** One sentence for the author. */
  readonly message: string;
  /** In the code that was loaded, counted from 1; null = not known. */
  readonly position: { readonly line: number; readonly column: number } | null;
};

/** value null = the handler returned undefined. */
export type PhaseResult =
  | { readonly kind: "returned"; readonly value: JsonText | null }
  | { readonly kind: "mutation"; readonly call: TerminalCall }
  | { readonly kind: "failed"; readonly failure: ScriptFailure };

/** One call as it is kept for people and for repair: nothing secret, nothing endless. */
export type TraceEntry = {
  readonly name: string;
  readonly kind: GuestCall["kind"];
  readonly params: JsonText;
  /** Null = it was not answered before the run ended. */
  readonly result: JsonText | null;
  readonly stopped: boolean;
  readonly startedAtMs: number;
  readonly durationMs: number;
};

export type PhaseOutcome = {
  readonly result: PhaseResult | { readonly kind: "stopped"; readonly reason: unknown };
  readonly record: PhaseRecord;
  readonly trace: readonly TraceEntry[];
  /** How long its code ran; waiting for answers, and for a thread, is not in it. */
  readonly activeMs: number;
};

export type RunOptions = {
  /** `activeMs` is how long the code of the phase has run by then. */
  readonly perform: (call: GuestCall, activeMs: number) => Promise<CallAnswer>;
  /** What the clock shows when a call was answered; absent = it stands still. */
  readonly now?: () => Instant;
  /** Ends the run at its next wait, for instance because a person paused the workflow. */
  readonly stopped?: AbortSignal;
};

/** One deployed version of a script, ready to run. */
export interface RunnableScript {
  run(call: PhaseCall, options: RunOptions): Promise<PhaseOutcome>;
  /** prepare and, if it reserved anything, mutate. */
  runConsumer(
    calls: { readonly prepare: PhaseCall; readonly mutate: PhaseCall },
    options: RunOptions,
  ): Promise<{ readonly prepare: PhaseOutcome; readonly mutate: PhaseOutcome | null }>;
}

/** One handler of a deployed script, as the host runs it. */
export type HostedHandler = {
  readonly name: string;
  readonly kind: "producer" | "consumer" | "job";
  readonly subscribe: readonly string[];
  /** Every topic it may publish to. */
  readonly publishes: readonly string[];
  readonly hasMutate: boolean;
  readonly hasNext: boolean;
  readonly mutateReads: "none" | "byId";
  /** The first time after `after` that its schedule names, counted from a firing; null = none. */
  nextRunAt(after: Instant, firing: Instant): Instant | null;
};

/** The machines of one version, and how their steps are run. */
export type HostedMachines = {
  readonly set: MachineSet;
  /**
   * One list of answers for each chain. A step is a function: asked again, it answers the same,
   * so that steps may be run before it is certain that they are wanted. `isAgain`: they came to an
   * end by themselves before, and have more time than those of which nobody knows.
   */
  run(
    chains: readonly StepChain[],
    how?: { readonly isAgain: boolean },
  ): Promise<readonly (readonly ChainAnswer[])[]>;
  /** One answer for each call; all there is in one is a state, or why there is none. */
  migrate(calls: readonly MigrationCall[]): Promise<readonly StepAnswer[]>;
  /** Absent = steps are not run in a thread that could do it. */
  readonly runJournal?: (limits: Partial<MachineLimits>) => JournalThread;
};

/** A journal on its way, in the thread that has the isolates. */
export type JournalThread = {
  /** Before the first record that names it; false = it cannot be run there. */
  learn(machines: HostedMachines): boolean;
  /**
   * `keys` are known from here on. Null = the thread was lost, or a step was ended from outside:
   * nothing is known of the journal then.
   */
  ask(ask: JournalAsk, keys?: readonly PublicKey[]): Promise<JournalAnswer | null>;
  /** It may be asked again, and is not expected to be: others may have the thread. */
  rest(): void;
  /** It is not needed any more. */
  end(): void;
};

export type HostedScript = RunnableScript & {
  /** Absent = it has no machines. */
  readonly machines?: HostedMachines;
  readonly handlers: ReadonlyMap<string, HostedHandler>;
  readonly connections: Connections;
};
