import { Sandbox } from "@holdfast/sandbox";
import type { Bench } from "../harness/bench.ts";
import { measureDoneItems } from "./done-items.ts";
import { measureLookups } from "./key-lookups.ts";
import { measureReplay } from "./replay-cost.ts";

export const itemsBench: Bench = {
  name: "items",
  describe: "what a replay costs, what done items cost, and looking a key up in a long ledger",
  run: async (context) => {
    const sandbox = await Sandbox.open({ threadsMax: 1 });
    try {
      return [
        ...(await measureReplay(context, sandbox)),
        ...(await measureDoneItems(context, sandbox)),
        ...(await measureLookups(context)),
      ];
    } finally {
      await sandbox.close();
    }
  },
};
