import { Sandbox } from "@holdfast/sandbox";
import type { Bench } from "../harness/bench.ts";
import { measureFairness } from "./fair-turns.ts";
import { loadCounting } from "./machine-world.ts";
import { measureSteps } from "./step-rates.ts";

export const machinesBench: Bench = {
  name: "machines",
  describe: "steps of machines beside the bare step, their replay, and a busy cell's neighbor",
  run: async (context) => {
    const sandbox = await Sandbox.open();
    try {
      const script = await loadCounting(sandbox);
      return [
        ...(await measureFairness(context, script)),
        ...(await measureSteps(context, script)),
      ];
    } finally {
      await sandbox.close();
    }
  },
};
