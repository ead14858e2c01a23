import type {
  HostedScript,
  Instant,
  MutationRow,
  Need,
  Store,
  TerminalCall,
  View,
} from "@holdfast/core";
import type { Permissions } from "../engine/permissions.ts";
import type { OutsideWorld } from "../engine/ports.ts";
import type { AdmittedRead } from "../engine/read-count.ts";
import type { StopSignals } from "../engine/stop.ts";
import type { Timers } from "../membership/time.ts";

/** What the turns of one workflow's machines need of their host. */
export type TurnParts = {
  readonly store: Store;
  readonly workflow: string;
  readonly outside: OutsideWorld;
  readonly permissions: Permissions;
  /** As it is now. */
  readonly loadView: () => Promise<View>;
  readonly admitRead: (call: TerminalCall, runId: string) => Promise<AdmittedRead>;
  readonly stop?: StopSignals | undefined;
  readonly nextWake: () => Promise<void>;
  readonly timers: Timers;
  readonly clock: { readonly now: () => Instant };
  readonly monotonicMs: () => number;
  /** Throws what keeps it from being loaded. */
  readonly loadScript: (view: View, hash: string) => Promise<HostedScript>;
  /** Rows that the view does not have; false = the view is of yesterday. */
  readonly loadNeeds: (view: View, needs: readonly Need[]) => Promise<boolean>;
  readonly findByKey: (view: View, mutationKey: string) => Promise<MutationRow | null>;
};
