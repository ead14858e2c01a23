import type { BenchContext, Measured } from "../../harness/bench.ts";
import { BenchServer } from "./bench-server.ts";
import { measurePostgresCalls } from "./call-rates.ts";
import { measurePostgresCommits } from "./commit-rates.ts";
import { measureManyWorkflows } from "./many-workflows.ts";
import { measurePostgresPeeks } from "./peek-cost.ts";

/** The store on a PostgreSQL server, with every promise of durability that the server can make. */
export async function measurePostgres(context: BenchContext): Promise<readonly Measured[]> {
  const server = await BenchServer.open(context);
  try {
    return [
      ...(await measurePostgresCommits(context, server)),
      ...(await measurePostgresPeeks(context, server)),
      ...(await measureManyWorkflows(context, server)),
      ...(await measurePostgresCalls(context, server)),
    ];
  } finally {
    await server.close();
  }
}
