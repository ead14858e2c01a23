import { encodeCanonical, type Store } from "@holdfast/core";
import { openPostgresStore } from "@holdfast/store/postgres";
import { createSchemaDatabase } from "@holdfast/store/testing/postgres";
import { expect, onTestFinished, test } from "vitest";
import { ask, type Deployed, prepareScript, soon, startEngine } from "./engine-in-test.ts";
import { bookGrants } from "./granted-workflow.ts";
import { openStores } from "./open-stores.ts";
import { sandboxOfFile } from "./order-shop.ts";
import { ScriptedWorld } from "./scripted-world.ts";

const sandbox = sandboxOfFile();
const workflows = ["a", "b", "c", "d", "e", "f"];
const sum = 7;
/** Exactly four calls, of the twelve that all of them want to make. */
const limits = [{ per: "day", amount: 4 * sum, of: "purchases" }];

type Way = (store: Store) => Store;

/** Nobody goes on before all have judged their first call: what one has seen, all have seen. */
function allAtOnce(): Way {
  const gate = Promise.withResolvers<void>();
  let looked = 0;
  return (store) =>
    withCalls(store, {
      sumBudget: async (of) => {
        const seen = await store.sumBudget(of);
        looked += 1;
        if (looked === workflows.length) gate.resolve();
        await gate.promise;
        return seen;
      },
    });
}

/** A planted mistake: commits do not say what they were judged by. */
function unguarded(store: Store): Store {
  return withCalls(store, {
    commit: (changes) => store.commit(changes.map((change) => ({ ...change, budgets: [] }))),
  });
}

function withCalls(store: Store, calls: Partial<Store>): Store {
  return new Proxy(store, {
    get: (of, name) => {
      const own: unknown = Reflect.get(calls, name);
      const value: unknown = own ?? Reflect.get(of, name, of);
      return own === undefined && typeof value === "function" ? value.bind(of) : value;
    },
  });
}

async function spendFrom(stores: readonly Store[], way: Way): Promise<ScriptedWorld> {
  const [store] = stores;
  if (store === undefined) throw new Error("A store is missing.");
  const world = new ScriptedWorld({ shop: { bookOrder: { kind: "mutation" } } });
  const deployed = await prepareScript(sandbox(), world);
  for (const workflow of workflows) await askFor(store, workflow, deployed);
  const engines = await Promise.all(stores.map((each) => startEngine(way(each), world, deployed)));
  onTestFinished(async () => {
    await Promise.all(engines.map((engine) => engine.stop()));
  });
  return world;
}

/** Two orders each. */
async function askFor(store: Store, workflow: string, { activation }: Deployed): Promise<void> {
  await store.createWorkflow(workflow);
  await ask(store, workflow, "activate_version", activation);
  const grants = bookGrants({ say: "allow", amount: "/sum", limits });
  await ask(store, workflow, "set_envelope", { grants });
  for (const messageId of ["1", "2"]) {
    const payload = encodeCanonical({ id: `${workflow}-${messageId}`, sum });
    await ask(store, workflow, "publish_event", {
      topic: "orders",
      messageId,
      payload,
      title: null,
    });
  }
}

/** Nothing is left to do but for people, or for another day. */
async function isAtRest(store: Store): Promise<boolean> {
  const which = { workflow: null, isOpen: true, after: null, limit: 100 };
  const asks = (await store.listAttentions(which)).map(({ workflow }) => workflow);
  for (const workflow of workflows) {
    if (asks.includes(workflow)) continue;
    const { rows } = await store.load(workflow, [{ kind: "base" }]);
    const hasRun = rows.some((each) => each.table === "runs" && each.row.open);
    const isEmpty = (await store.peek(workflow, "orders", 1)).events.length === 0;
    const isFolded = rows.some((each) => each.table === "workflows" && each.row.inboxThrough === 4);
    if (hasRun || !isEmpty || !isFolded) return false;
  }
  return true;
}

async function twoOnPostgres(): Promise<readonly Store[]> {
  const { url, drop } = await createSchemaDatabase();
  const options = { url, newIncarnation: () => "store" };
  const stores = [await openPostgresStore(options), await openPostgresStore(options)];
  onTestFinished(async () => {
    for (const store of stores) await store.close();
    await drop();
  });
  return stores;
}

const cases = {
  "one host on SQLite": async () => [await openStores.SQLite(() => Date.now())],
  "two hosts on PostgreSQL": twoOnPostgres,
};

test.each(Object.entries(cases))(
  "[R89] %s: what workflows share is spent exactly, though all look at once",
  async (_, open) => {
    const stores = await open();
    const [store] = stores;
    const world = await spendFrom(stores, allAtOnce());
    await expect.poll(() => store && isAtRest(store), { timeout: 60_000 }).toBe(true);
    expect(world.sent.map(({ params }) => params["sum"])).toEqual([sum, sum, sum, sum]);
    const all = { budget: "purchases", after: 0, except: null };
    expect(await store?.sumBudget(all)).toMatchObject({ count: 4, amount: 4 * sum * 10_000 });
    const which = { workflow: null, isOpen: true, after: null, limit: 1 };
    const [asked] = (await store?.listAttentions(which)) ?? [];
    expect(asked?.row.note).toContain(
      "28 of 28 per day of purchases are used up, and this call is 7",
    );
  },
);

test("[R89] control: without what the commit expects, more than the budget is spent", async () => {
  const stores = await twoOnPostgres();
  const together = allAtOnce();
  const world = await spendFrom(stores, (store) => together(unguarded(store)));
  await soon(() => world.sent.length >= workflows.length);
  expect(world.sent.length).toBeGreaterThan(4);
});
