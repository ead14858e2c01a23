import { contentHash, type HostedMachines, type HostedScript, type Store } from "@holdfast/core";
import {
  type ChainAnswer,
  closeStepReturn,
  compileSet,
  type EffectDeclaration,
  openStepCall,
  type StepCall,
  type StepChain,
  type StepReturn,
  stateLeft,
} from "@holdfast/core/machine";
import { listCells, listRecords, replayMachines } from "@holdfast/host";
import { grantsForAll } from "@holdfast/host/testing";
import { orderScript } from "./order-script.ts";

const order = { type: "record", fields: { id: { type: "text" } } } as const;
const number = { type: "record", fields: { number: { type: "nat" } } } as const;

const book: EffectDeclaration = {
  name: "shop/book@1",
  kind: "mutation",
  params: { type: "record", fields: { connection: { type: "text" }, id: { type: "text" } } },
  // A person who saw it there says that it happened, and no number.
  receipt: { type: "option", inner: number },
  error: null,
  executor: { module: "shop", moduleHash: contentHash("shop 1"), entrypoint: "book" },
};

const machineScriptHash = contentHash("orders with a machine");

const compiled = compileSet({
  workflow: "orders",
  manifestHash: machineScriptHash,
  moduleVersion: machineScriptHash,
  topics: [
    { name: "orders", schema: order },
    { name: "booked", schema: order },
  ],
  machines: [
    {
      name: "order",
      version: 1,
      state: { type: "record", fields: { tries: { type: "nat" } } },
      event: {
        type: "variant",
        arms: {
          Placed: { type: "ref", name: "orders" },
          Receipt: { type: "ref", name: "sys/EffectReceiptEnvelope@1" },
        },
      },
      key: { type: "text" },
      context: true,
      annotations: null,
      effects: ["shop/book@1", "sys/timer.set@1"],
      subscribe: [{ topic: "orders", key: "id" }],
    },
  ],
  effects: [book],
});

type State = { readonly tries: number };
type Event =
  | { readonly $tag: "Placed"; readonly $value: { readonly id: string } }
  | {
      readonly $tag: "Receipt";
      readonly $value: { readonly effect: string; readonly status: string };
    };
type Moment = { readonly key: string; readonly logicalNowNs: bigint };

const momentNs = 2_000_000_000n;

/** Waits a moment, books, and says so; what did not happen is asked for again. */
function step(before: State | null, event: Event, ctx: Moment): StepReturn {
  if (event.$tag === "Placed") {
    if (before !== null) return { state: before };
    const params = { deliver_at_ns: BigInt(ctx.logicalNowNs) + momentNs };
    return { state: { tries: 0 }, effects: [{ effect: "sys/timer.set@1", params }] };
  }
  const { effect, status } = event.$value;
  const tries = before?.tries ?? 0;
  if (effect === "shop/book@1" && status === "ok") {
    const booked = { topic: "booked", messageId: ctx.key, payload: { id: ctx.key } };
    return { state: { tries }, events: [booked], done: true };
  }
  const params = { connection: "shop", id: ctx.key };
  return { state: { tries: tries + 1 }, effects: [{ effect: "shop/book@1", params }] };
}

function machinesWith(run: typeof step): HostedMachines {
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  const { set } = compiled;
  const one = (call: StepCall, state: Uint8Array | null): ChainAnswer => {
    const given = openStepCall(set, { ...call, state });
    const answer = closeStepReturn(
      run(given.state as never, given.event as never, given.ctx as never),
    );
    const machine = set.machines.get(call.machine);
    return { answer, left: machine === undefined ? null : stateLeft(machine, answer) };
  };
  const chainOf = (chain: StepChain): readonly ChainAnswer[] => {
    const answers: ChainAnswer[] = [];
    let state = chain[0]?.state ?? null;
    for (const call of chain) {
      const answered = one(call, state);
      answers.push(answered);
      if (answered.left === null) break;
      state = answered.left;
    }
    return answers;
  };
  return { set, run: async (chains) => chains.map(chainOf), migrate: async () => [] };
}

/** The same orders, each a cell of a machine with a timer and a booking. */
export const machineScript: HostedScript = {
  ...orderScript,
  handlers: new Map([...orderScript.handlers].filter(([name]) => name === "poll")),
  machines: machinesWith(step),
};

let calls = 0;

/** For a planted bug: what a step returns depends on how often any was called. */
export const forgetfulScript: HostedScript = {
  ...machineScript,
  machines: machinesWith((before, event, ctx) => {
    const { state, ...rest } = step(before, event, ctx);
    calls += 1;
    return {
      ...rest,
      state: state === null ? null : { tries: (state as State).tries + (calls % 7) },
    };
  }),
};

/** Of a version: with the machine, and without who else would work the orders off. */
export const machineActivation = {
  scriptHash: machineScriptHash,
  machines: true,
  grants: grantsForAll({ shop: { book: "mutation", list: "read:list" } }),
  topics: [
    { name: "orders", subscriber: null, observed: true, schema: order, machines: true },
    { name: "booked", subscriber: null, observed: true, schema: order },
  ],
};

function partsOf(store: Store, workflow: string) {
  return { store, workflow, loadScript: async () => machineScript };
}

export async function areAllBooked(store: Store, workflow: string, count: number) {
  const cells = await listCells(partsOf(store, workflow)).catch(() => []);
  return cells.filter(({ status }) => status === "completed").length >= count;
}

/** What the journal of the machines says against the hosts. */
export async function machineProblems(store: Store, workflow: string, count: number) {
  const problems: string[] = [];
  const parts = partsOf(store, workflow);
  const replayed = await replayMachines(parts);
  if (!replayed.ok) problems.push(`${workflow}: replay ${JSON.stringify(replayed)}`);
  if (!(await areAllBooked(store, workflow, count))) problems.push(`${workflow}: cells are open`);
  const { items } = await listRecords(parts, { after: 0, limit: 100_000 });
  const settled = new Map<string, number>();
  for (const { record } of items) {
    const { kind, intent_hash: hash, accepted } = record as Readonly<Record<string, unknown>>;
    const id = JSON.stringify(hash);
    if (kind === "effect_intent") settled.set(id, 0);
    if (kind === "effect_receipt" && accepted === true) {
      settled.set(id, (settled.get(id) ?? Number.NaN) + 1);
    }
  }
  for (const [id, times] of settled) {
    if (times !== 1) problems.push(`${workflow}: intent ${id} was settled ${times} times`);
  }
  return problems;
}
