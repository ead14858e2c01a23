import type { TestConnection } from "@holdfast/store/testing/postgres";
import { type Contender, lap } from "../../harness/rounds.ts";

/** What the server itself can do over one connection, whatever a store makes of it. */

export const bareMetrics = {
  insert: "bare inserts of one row",
  roundTrip: "bare round trip",
} as const;

const insertsPerTurn = 128;
const roundTripsPerTurn = 100;

/** About as long as what one change adds to the journal. */
const bareBytes = 1_024;

/** One row and one commit at a time: nothing durable is faster on one connection. */
export async function bareInserts(client: TestConnection): Promise<Contender> {
  await client.query("CREATE TABLE bare (no bigserial PRIMARY KEY, bytes bytea NOT NULL)");
  const insert = {
    name: "bare insert",
    text: "INSERT INTO bare (bytes) VALUES ($1)",
    values: [Buffer.alloc(bareBytes, 7)],
  };
  return {
    metric: bareMetrics.insert,
    unit: "inserts/s",
    figure: "per second",
    measure: () =>
      lap(insertsPerTurn, async () => {
        for (let count = 0; count < insertsPerTurn; count += 1) await client.query(insert);
      }),
  };
}

/** A statement that does nothing. */
export function bareRoundTrips(client: TestConnection): Contender {
  return {
    metric: bareMetrics.roundTrip,
    unit: "µs",
    figure: "µs each",
    measure: () =>
      lap(roundTripsPerTurn, async () => {
        for (let count = 0; count < roundTripsPerTurn; count += 1) await client.query("SELECT 1");
      }),
  };
}
