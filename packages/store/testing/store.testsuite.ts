/**
 * The contract of every store, as tests. An adapter's test file is one call:
 *
 *   testStore({
 *     name: "sqlite file",
 *     keepsData: true, // `reopen` is given and the data is still there
 *     open: async ({ clock, newIncarnation }) => {
 *       const folder = await mkdtemp(…);
 *       const openAgain = () => openSqliteStore({ folder, clock, newIncarnation });
 *       return { store: await openAgain(), reopen: openAgain, remove: () => rm(folder, …) };
 *     },
 *   });
 *
 * `open` is called once per case and gives an empty store. The suite closes it (twice is allowed)
 * before `reopen` and `remove`. The cases drive nothing but the port.
 */
import { describe, test } from "vitest";
import { attentionCases } from "./attentions.testsuite.ts";
import { awaitedCases } from "./awaiting.testsuite.ts";
import { blobCases } from "./blobs.testsuite.ts";
import { budgetCases } from "./budgets.testsuite.ts";
import { censusCases } from "./census.testsuite.ts";
import { changeCases } from "./changes.testsuite.ts";
import { commitCases } from "./commit.testsuite.ts";
import { constraintCases } from "./constraints.testsuite.ts";
import { countedReadCases } from "./counted-reads.testsuite.ts";
import { edgeCases } from "./edges.testsuite.ts";
import { groupCases } from "./group.testsuite.ts";
import { inboxCases } from "./inbox.testsuite.ts";
import { itemCases } from "./items.testsuite.ts";
import { journalCases } from "./journal.testsuite.ts";
import { keptResultCases } from "./kept-results.testsuite.ts";
import { leaseCases } from "./lease.testsuite.ts";
import { ledgerCases } from "./ledger.testsuite.ts";
import { lifetimeCases } from "./lifetime.testsuite.ts";
import { listCases } from "./lists.testsuite.ts";
import { loadCases } from "./load.testsuite.ts";
import { lowWaterCases } from "./low-water.testsuite.ts";
import { machineCases } from "./machines.testsuite.ts";
import { partCases } from "./parts.testsuite.ts";
import { peekCases } from "./peek.testsuite.ts";
import { registrationCases } from "./registration.testsuite.ts";
import { rowChangeCases } from "./row-changes.testsuite.ts";
import { scanCases } from "./scan.testsuite.ts";
import { storeBrakeCases } from "./store-brake.testsuite.ts";
import { type OpenStore, runCase, type StoreCase } from "./store-case.ts";
import { traceCases } from "./traces.testsuite.ts";
import { usageCases } from "./usage.testsuite.ts";
import { valueCases } from "./values.testsuite.ts";
import { wakeUpCases } from "./wake-up.testsuite.ts";
import { watchCases } from "./watch.testsuite.ts";

export const storeCases: Readonly<Record<string, readonly StoreCase[]>> = {
  lifetime: lifetimeCases,
  commit: commitCases,
  group: groupCases,
  "row changes": rowChangeCases,
  values: valueCases,
  constraints: constraintCases,
  ledger: ledgerCases,
  edges: edgeCases,
  items: itemCases,
  machines: machineCases,
  journal: journalCases,
  blobs: blobCases,
  parts: partCases,
  traces: traceCases,
  load: loadCases,
  usage: usageCases,
  budgets: budgetCases,
  "counted reads": countedReadCases,
  "kept results": keptResultCases,
  peek: peekCases,
  "low-water mark": lowWaterCases,
  scan: scanCases,
  attentions: attentionCases,
  lists: listCases,
  inbox: inboxCases,
  "brake on all": storeBrakeCases,
  registration: registrationCases,
  lease: leaseCases,
  "awaited executors": awaitedCases,
  census: censusCases,
  "wake-up": wakeUpCases,
  watch: watchCases,
  changes: changeCases,
};

export type StoreUnderTest = {
  readonly name: string;
  readonly keepsData: boolean;
  readonly open: OpenStore;
};

export function testStore(subject: StoreUnderTest): void {
  describe(`store: ${subject.name}`, () => {
    for (const [part, cases] of Object.entries(storeCases)) {
      describe(part, () => {
        for (const storeCase of cases) {
          if (storeCase.needsReopen && !subject.keepsData) continue;
          test(storeCase.name, () => runCase(subject.open, storeCase));
        }
      });
    }
  });
}
