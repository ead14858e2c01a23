import { HostError } from "@holdfast/core";
import { openPostgresStore, type PostgresStore } from "@holdfast/store/postgres";
import {
  type CutPlace,
  CuttingProxy,
  createTestDatabase,
  type RequestReport,
} from "@holdfast/store/testing/postgres";
import { kindOf } from "./cut-point.ts";

/** How a store comes to be in an empty database, with the connection cut once on the way. */
export type OpeningReport = {
  readonly name: string;
  readonly requests: readonly RequestReport[];
  readonly problems: readonly string[];
};

type OpeningCut = { readonly request: number; readonly place: CutPlace };

export async function tryOpening(
  serverUrl: string,
  cut: OpeningCut | null,
): Promise<OpeningReport> {
  const { url, drop } = await createTestDatabase(serverUrl);
  const proxy = await CuttingProxy.start(url);
  const problems: string[] = [];
  try {
    const planned = cut === null ? null : proxy.plan(cut);
    const first = await openOnce(proxy.url(), "first", problems);
    await first?.close();
    if (planned !== null) await planned.settled;
    const found = await openOnce(url, "second", problems);
    if (found === null) problems.push("it cannot be opened afterwards");
    // What was opened is the store from then on, and nobody else makes another.
    if (first !== null && found?.storeIncarnation !== "first") problems.push("it is another store");
    await found?.createWorkflow("orders");
    await found?.close();
    const name = cut === null ? "undisturbed" : `request ${cut.request}, ${cut.place.at}`;
    return { name, requests: proxy.requests, problems };
  } finally {
    await proxy.stop();
    await drop();
  }
}

/** Null = the connection was lost, which is said and harms nobody. */
async function openOnce(
  url: string,
  name: string,
  problems: string[],
): Promise<PostgresStore | null> {
  try {
    return await openPostgresStore({ url, newIncarnation: () => name });
  } catch (error) {
    const isLost = error instanceof HostError && error.code === "STORE_UNREACHABLE";
    if (!isLost) problems.push(`${name}: ${error}`);
    return null;
  }
}

/** Every request of an opening at every place. */
export function openingCuts(requests: readonly RequestReport[]): readonly OpeningCut[] {
  return requests.flatMap(({ sql, length, responseLength }, index) => {
    if (kindOf(sql) === "terminate") return [];
    const places: readonly CutPlace[] = [
      { at: "before" },
      { at: "mid-request", bytes: Math.floor(length / 2) },
      { at: "after-request" },
      { at: "mid-response", bytes: Math.floor(responseLength / 2) },
    ];
    return places.map((place) => ({ request: index + 1, place }));
  });
}
