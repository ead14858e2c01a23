import { Sandbox } from "@holdfast/sandbox";
import type { Bench } from "../harness/bench.ts";
import { measureIdleEngine } from "./idle-engine.ts";
import { loadOrderScript } from "./order-workflow.ts";
import { measurePostgresRates } from "./postgres-rates.ts";
import { measureEngineRestart } from "./restart-cost.ts";
import { measureRates } from "./run-rates.ts";
import { measureTopicGrowth } from "./topic-growth.ts";

export const engineBench: Bench = {
  name: "engine",
  describe: "consumer runs on SQLite, beside a bare loop of isolates and commits, or on PostgreSQL",
  canPostgres: true,
  run: async (context) => {
    const sandbox = await Sandbox.open({ threadsMax: 2 });
    try {
      const script = await loadOrderScript(sandbox);
      if (context.postgres) return await measurePostgresRates(context, script);
      return [
        ...(await measureRates(context, script)),
        ...(await measureEngineRestart(context, script)),
        ...(await measureTopicGrowth(context, script)),
        ...(await measureIdleEngine(context, sandbox)),
      ];
    } finally {
      await sandbox.close();
    }
  },
};
