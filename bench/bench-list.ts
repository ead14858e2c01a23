import { approvalsBench } from "./approvals/approvals-bench.ts";
import { engineBench } from "./engine/engine-bench.ts";
import type { Bench } from "./harness/bench.ts";
import { itemsBench } from "./items/items-bench.ts";
import { ledgerBench } from "./ledger/ledger-bench.ts";
import { machinesBench } from "./machines/machines-bench.ts";
import { machinesStateBench } from "./machines-state/machines-state-bench.ts";
import { sandboxBench } from "./sandbox/sandbox-bench.ts";
import { serverBench } from "./server/server-bench.ts";
import { storeBench } from "./store/store-bench.ts";

/** In the order they are listed to people. */
export const benchList: readonly Bench[] = [
  storeBench,
  sandboxBench,
  engineBench,
  ledgerBench,
  approvalsBench,
  serverBench,
  itemsBench,
  machinesBench,
  machinesStateBench,
];
