import type { Bench } from "../harness/bench.ts";
import { measureCanonicalCost } from "./canonical-cost.ts";
import { measureCommitRates } from "./commit-rates.ts";
import { measurePeekCost } from "./peek-cost.ts";
import { measurePostgres } from "./postgres/measure-postgres.ts";

export const storeBench: Bench = {
  name: "store",
  describe: "SQLite on a disk, or a PostgreSQL server: commits, peek, restart, idle hosts",
  canPostgres: true,
  run: async (context) => {
    if (context.postgres) return measurePostgres(context);
    return [
      ...(await measureCommitRates(context)),
      ...(await measurePeekCost(context)),
      ...(await measureCanonicalCost(context)),
    ];
  },
};
