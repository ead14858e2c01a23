import type { Bench } from "../harness/bench.ts";
import { measureCanonicalCost } from "./canonical-cost.ts";
import { measureCommitRates } from "./commit-rates.ts";
import { measurePeekCost } from "./peek-cost.ts";

export const storeBench: Bench = {
  name: "store",
  describe: "SQLite on a disk: commits, group commits, peek in long topics, restart, verify",
  run: async (context) => [
    ...(await measureCommitRates(context)),
    ...(await measurePeekCost(context)),
    ...(await measureCanonicalCost(context)),
  ],
};
