import type { GuestCall, PhaseCall, PhaseRecord } from "@holdfast/core";

export type {
  Connections,
  GuestCall,
  JsonText,
  PhaseCall,
  PhaseRecord,
  PhaseResult,
  ScriptPhase,
  ScriptPublication,
  TerminalCall,
} from "@holdfast/core";

/** Goes with a run from slice to slice. */
export type PhaseState = {
  readonly record: PhaseRecord;
  readonly open: GuestCall[];
  /** Calls that were answered with what was foreseen. */
  readonly foreseen: GuestCall[];
  callCount: number;
  fuelUsed: number;
  outputBytes: number;
  runningMs: number;
  /** In the whole phase; what is limited begins anew with each item. */
  activeMs: number;
  now: number;
  inItem: boolean;
  /** The item was done when it was opened. */
  inDoneItem: boolean;
  /** Of calls, since the item was opened or closed: that is what the limit is about. */
  callsSince: number;
  itemCount: number;
  /** Of publications, when the item was opened: what comes after is the item's. */
  publishedBefore: number;
  /** Calls of the guest after its end was decided. Nothing but 0 can be right. */
  callsAfterEnd: number;
};

export function beginPhase({ now }: PhaseCall): PhaseState {
  return {
    record: { logs: [], inputs: [], publications: [], kvWrites: [] },
    open: [],
    foreseen: [],
    callCount: 0,
    fuelUsed: 0,
    outputBytes: 0,
    runningMs: 0,
    activeMs: 0,
    now,
    inItem: false,
    inDoneItem: false,
    callsSince: 0,
    itemCount: 0,
    publishedBefore: 0,
    callsAfterEnd: 0,
  };
}
