import { decodeCanonical, type OperationName, policyDefaults, type Store } from "@holdfast/core";
import { expect, test } from "vitest";
import { ask, prepareScript, publishOrder, soon, startEngine } from "./engine-in-test.ts";
import { openStores } from "./open-stores.ts";
import { sandboxOfFile } from "./order-shop.ts";
import { Fails, type ScriptedOperation, ScriptedWorld } from "./scripted-world.ts";

const sandbox = sandboxOfFile();

type Fact = { readonly kind: string; readonly policy?: unknown };

/** What was recorded, as whoever looks at the journal later finds it. */
async function policiesIn(store: Store, kind: string): Promise<readonly unknown[]> {
  const entries = await store.readJournal("east", 0, 1_000);
  const facts = entries.map(({ bytes }) => (decodeCanonical(bytes) as { fact: Fact }).fact);
  return facts.filter((fact) => fact.kind === kind).map(({ policy }) => policy);
}

/** Bookings have limits of their own; the workflow has the defaults. */
const bookings = {
  ...policyDefaults,
  transientDelayMs: 7,
  reconcileDelayMs: 5,
  reconcileTriesMax: 2,
};

function policyOf(_workflow: string, call?: OperationName) {
  return call?.operation === "bookOrder" ? bookings : policyDefaults;
}

async function start(bookOrder: Omit<ScriptedOperation, "kind">) {
  const store = await openStores.SQLite(() => Date.now());
  const world = new ScriptedWorld({ shop: { bookOrder: { kind: "mutation", ...bookOrder } } });
  const deployed = await prepareScript(sandbox(), world);
  await store.createWorkflow("east");
  await ask(store, "east", "activate_version", deployed.activation);
  await publishOrder(store, "east", "o-1");
  const engine = await startEngine(store, world, deployed, { policyOf });
  return { store, world, engine };
}

test("[R144] how often and how long was asked is kept with the question it led to", async () => {
  const { store, world, engine } = await start({
    guarantee: () => ({ canReconcile: true }),
    answer: () => {
      throw new Fails("indeterminate", "no answer");
    },
    reconcile: () => ({ says: "retry", note: "come back" }),
  });
  await expect
    .poll(() => policiesIn(store, "mutation_indeterminate"), { timeout: 20_000 })
    .toEqual([{ reconcileTriesMax: 2 }]);
  await engine.stop();
  expect(world.asked).toHaveLength(2);
  const { reconcileTotalMsMax, reconcileDelayMsMax, jitterShare } = policyDefaults;
  const limits = { reconcileTotalMsMax, reconcileDelayMsMax, jitterShare };
  const used = { reconcileDelayMs: 5, reconcileTriesMax: 2, ...limits };
  expect(await policiesIn(store, "mutation_uncertain")).toEqual([used, used]);
  const { hostPauseMsMax } = policyDefaults;
  expect(await policiesIn(store, "mutation_sent")).toEqual([{ hostPauseMsMax }]);
});

test("[R144] [R108] a back-off keeps what it was computed from", async () => {
  let failures = 1;
  const { store, world, engine } = await start({
    answer: () => {
      if (failures-- > 0) throw new Fails("transient", "not now");
      return {};
    },
  });
  await soon(() => world.sent.length === 2);
  await engine.stop();
  const { transientDelayMsMax, transientTriesMax, jitterShare } = policyDefaults;
  expect(await policiesIn(store, "run_paused")).toEqual([
    { transientDelayMs: 7, transientDelayMsMax, transientTriesMax, jitterShare },
  ]);
});
