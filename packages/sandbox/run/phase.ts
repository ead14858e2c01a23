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
  now: number;
  inItem: boolean;
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
    now,
    inItem: false,
    callsAfterEnd: 0,
  };
}
