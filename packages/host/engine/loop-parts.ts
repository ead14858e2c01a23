import type { HostError, Store } from "@holdfast/core";
import type { Ownership } from "../membership/ownership.ts";
import type { Timers } from "../membership/time.ts";
import type { WorkflowOwner } from "../workflow-owner.ts";
import type { WatchedSend } from "./brake-watch.ts";
import type { KnownTimes } from "./known-times.ts";
import type { EngineClock, EngineObserver, OutsideWorld, ScriptLibrary } from "./ports.ts";
import type { QuietTimes } from "./quiet-times.ts";
import type { StopSignals } from "./stop.ts";
import type { Wakes } from "./wakes.ts";
import type { WorkDesk } from "./work-desk.ts";

/** The right to work for one workflow, for as long as it lasts. */
export type HeldWorkflow = Pick<
  Ownership,
  "workflow" | "epoch" | "unclean" | "mayAct" | "mayActUntil"
>;

export type LoopParts = {
  readonly store: Store;
  readonly ownership: HeldWorkflow;
  readonly owner: WorkflowOwner;
  readonly scripts: ScriptLibrary;
  readonly outside: OutsideWorld;
  readonly clock: EngineClock;
  /** On the host's monotonic clock, as the ownership's own times are. */
  readonly monotonicMs: () => number;
  readonly timers: Timers;
  /** Of the process: a workflow that rests between two questions is not forgotten. */
  readonly quietTimes: QuietTimes;
  /** Of the process, for the same reason. */
  readonly knownTimes: KnownTimes;
  /** For a brake that comes while a call goes out; absent = nothing comes in meanwhile. */
  readonly watchBrake?: (operation: string) => Promise<WatchedSend>;
  /** For calls that other processes make; absent = there are none. */
  readonly desk?: WorkDesk;
  /** It was given to this host by its name, and need not be due; absent = it was not. */
  readonly isNamed?: boolean;
  /** What comes in while it works; absent = nothing does. */
  readonly wakes?: Wakes;
  readonly random: () => number;
  readonly incarnation: string;
  readonly observer: EngineObserver;
  /** Asked between two turns, when everything is durable: whether to leave it at that. */
  readonly isStopping?: () => boolean;
  /** Of the host; absent = it goes on for ever. */
  readonly stop?: StopSignals;
};

/** Why a loop has come to its end. */
export type LoopEnd =
  /** Nothing to do now. */
  | { readonly kind: "resting" }
  /** Somebody else owns the workflow, or this host has lost its lease. */
  | { readonly kind: "lost" }
  /** The store could not be used; what it holds is loaded again when the loop is worked again. */
  | { readonly kind: "troubled"; readonly cause: HostError; readonly turnCount: number }
  /** The database refused what the core decided: nothing of this workflow may go on here. */
  | { readonly kind: "broken"; readonly note: string };
