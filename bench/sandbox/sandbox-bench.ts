import type { Bench } from "../harness/bench.ts";
import { measureDeployed } from "./deployed-cost.ts";
import { measureHang } from "./hang-cost.ts";
import { measureIsolates } from "./isolate-cost.ts";
import { measurePhases } from "./phase-cost.ts";

export const sandboxBench: Bench = {
  name: "sandbox",
  describe: "fresh isolates, phases through the pool, hung scripts, memory of many scripts",
  run: async (context) => [
    ...(await measureIsolates(context)),
    ...(await measurePhases(context)),
    ...(await measureHang(context)),
    ...(await measureDeployed(context)),
  ],
};
