import {
  type CanonicalValue,
  encodeCanonical,
  type HostedScript,
  type Store,
} from "@holdfast/core";
import {
  KnownTimes,
  type LoopParts,
  type OutsideWorld,
  QuietTimes,
  realTimers,
  WorkflowLoop,
  WorkflowOwner,
} from "@holdfast/host";
import { grantsForAll, plainCall } from "@holdfast/host/testing";
import {
  compileScript,
  declarationsOf,
  hostedScript,
  type LoadedScript,
  type Sandbox,
  validate,
} from "@holdfast/sandbox";

const text = `
import { workflow } from "@holdfast/sdk";
export default workflow({
  name: "orders",
  connections: { shop: { connector: "http", account: "shop" } },
  topics: { "order.received": {}, "order.booked": { observed: true } },
  producers: { poll: { manual: true, publishes: ["order.received"], handler: async () => {} } },
  consumers: {
    book: {
      subscribe: ["order.received"],
      publishes: ["order.booked"],
      prepare: async (ctx) => {
        const [event] = await ctx.peek("order.received", { limit: 1 });
        if (!event) return { reservations: [], data: {} };
        return {
          reservations: [{ topic: "order.received", ids: [event.messageId] }],
          data: { id: event.messageId, sum: event.payload.sum },
          ui: { title: "Book order " + event.messageId },
        };
      },
      mutate: async (ctx, prepared) => { await ctx.shop.bookOrder(prepared.data); },
      next: async (ctx, prepared, result) => {
        if (result.status === "none") return;
        if (result.status === "skipped") return;
        await ctx.publish("order.booked", { messageId: prepared.data.id, ok: true });
      },
    },
  },
});
`;

const connections = { shop: { bookOrder: "mutation" } } as const;

export type OrderScript = {
  readonly loaded: LoadedScript;
  readonly hosted: HostedScript;
  readonly activation: object;
};

export function loadOrderScript(sandbox: Sandbox): Promise<OrderScript> {
  return loadScript(sandbox, text);
}

/** The same with a producer that finds nothing, every hour. */
export function loadScheduledScript(sandbox: Sandbox): Promise<OrderScript> {
  return loadScript(sandbox, text.replace("manual: true", 'schedule: { interval: "1h" }'));
}

async function loadScript(sandbox: Sandbox, script: string): Promise<OrderScript> {
  const source = { entry: "orders.ts", files: { "orders.ts": script } };
  const { manifest, problems } = await validate(source, (script) => sandbox.inspect(script));
  const compiled = await compileScript(source);
  if (manifest === null || !compiled.ok) throw new Error(JSON.stringify(problems));
  const answer = await sandbox.load(compiled.script.code);
  if (!answer.ok) throw new Error(answer.failure.message);
  const { codeHash: scriptHash } = compiled.script;
  const activation = {
    major: 1,
    minor: 0,
    scriptHash,
    script: null,
    grants: grantsForAll(connections),
    progress: "keep",
    ...declarationsOf(manifest),
  };
  const hosted = hostedScript(sandbox, answer.script, {
    compiled: compiled.script,
    manifest,
    connections,
  });
  return { loaded: answer.script, hosted, activation };
}

/** A service that answers at once, in this process. */
export const promptShop: OutsideWorld = {
  read: async () => ({ says: "value", value: null }),
  describe: (call) => plainCall(call),
  send: async () => ({ says: "applied", result: encodeCanonical({ number: 1 }) }),
  reconcile: async () => ({ says: "retry", note: "nothing is ever lost here" }),
};

/** Deployed, paused, and with so many orders waiting: everything but the runs is done. */
export async function prepareOrders(
  store: Store,
  workflows: readonly string[],
  { script, orders }: { readonly script: OrderScript; readonly orders: number },
): Promise<void> {
  for (const workflow of workflows) {
    await store.createWorkflow(workflow);
    await command(store, workflow, ["activate_version", script.activation]);
    await command(store, workflow, ["pause_workflow", {}]);
    for (let index = 0; index < orders; index++) {
      const payload = encodeCanonical({ sum: index });
      const event = { topic: "order.received", messageId: `o-${index}`, payload, title: null };
      await command(store, workflow, ["publish_event", event]);
    }
  }
  await workOff(store, "bench-1", script);
  for (const workflow of workflows) await command(store, workflow, ["resume_workflow", {}]);
}

/** So many workflows that were created and given the script, and nothing else. */
export async function deployAll(store: Store, count: number, script: OrderScript): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `w-${index}`);
  await Promise.all(
    names.map(async (workflow) => {
      await store.createWorkflow(workflow);
      await command(store, workflow, ["activate_version", script.activation]);
    }),
  );
}

let commandCount = 0;

async function command(
  store: Store,
  workflow: string,
  [kind, body]: readonly [kind: string, body: object],
): Promise<void> {
  commandCount += 1;
  const commandId = `c-${commandCount}`;
  const bytes = encodeCanonical(body as CanonicalValue);
  await store.appendCommand({ commandId, workflow, actor: "bench", kind, body: bytes, at: 0 });
}

/** A host that claims everything and works until nothing is left, or until so many runs. */
export async function workOff(
  store: Store,
  incarnation: string,
  { hosted }: OrderScript,
  runsMax = Number.POSITIVE_INFINITY,
): Promise<number> {
  await store.openHost({ incarnation, leaseMs: 3_600_000 });
  const { claims } = await store.claim(incarnation, 1_000);
  let runs = 0;
  const onPhase = ({ phase }: { readonly phase: string }) => {
    if (phase === "next") runs += 1;
  };
  await Promise.all(
    claims.map(async (claim) => {
      const parts = { observer: { onPhase }, isStopping: () => runs >= runsMax };
      const end = await loopFor(store, claim, { hosted, ...parts }).work();
      if (end.kind !== "resting") throw new Error(JSON.stringify(end));
    }),
  );
  await store.closeHost(incarnation);
  return runs;
}

function loopFor(
  store: Store,
  claim: { readonly workflow: string; readonly epoch: number; readonly unclean: boolean },
  parts: Required<Pick<LoopParts, "observer" | "isStopping">> & { readonly hosted: HostedScript },
): WorkflowLoop {
  const { hosted, observer, isStopping } = parts;
  return new WorkflowLoop({
    store,
    ownership: { ...claim, mayAct: () => true, mayActUntil: Number.POSITIVE_INFINITY },
    owner: new WorkflowOwner(store, claim),
    scripts: { load: async () => hosted },
    outside: promptShop,
    clock: { now: () => Date.now() },
    monotonicMs: () => performance.now(),
    timers: realTimers,
    quietTimes: new QuietTimes(),
    knownTimes: new KnownTimes(),
    random: () => 0.5,
    incarnation: "bench",
    observer,
    isStopping,
  });
}
