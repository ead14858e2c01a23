import { HostError, type Need, type RowChange, type Store } from "@holdfast/core";
import fc from "fast-check";
import { expect } from "vitest";
import { openMemoryStore } from "../memory/index.ts";
import { Owner } from "./change-builder.ts";
import { everythingOf } from "./expectation.ts";
import { command } from "./inbox.testsuite.ts";
import { randomRowChange, startingRows } from "./random-change.ts";
import { type OpenStore, startOfTime } from "./store-case.ts";

/**
 * Memory and a database side by side: the simulator proves the host on memory, so memory must
 * refuse what the database refuses and keep what it keeps, for every order of changes, not only
 * for the ones that somebody thought of.
 */

/** `npm run soak` plays more of the same. */
const scale = Number(process.env["HOLDFAST_FUZZ_SCALE"] ?? 1);

type Step =
  | {
      readonly kind: "commit";
      readonly rows: readonly RowChange[];
      readonly dueInMs: number | null;
      readonly epochBehind: number;
    }
  | { readonly kind: "append"; readonly id: string }
  | { readonly kind: "host"; readonly host: string; readonly call: HostCall }
  | { readonly kind: "wait"; readonly ms: number };
type HostCall = "openHost" | "heartbeat" | "closeHost" | "claim" | "release";

const hostCalls: readonly HostCall[] = ["openHost", "heartbeat", "closeHost", "claim", "release"];

const randomStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant("commit" as const),
      rows: fc.array(randomRowChange, { minLength: 1, maxLength: 2 }),
      dueInMs: fc.constantFrom(null, -5, 0, 5),
      epochBehind: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 1),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("append" as const),
      id: fc.constantFrom("c-1", "c-2", "c-3"),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("host" as const),
      host: fc.constantFrom("host-1", "host-2"),
      call: fc.constantFrom(...hostCalls),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("wait" as const),
      ms: fc.constantFrom(1, 10, 100),
    }),
  },
);

const needs: readonly Need[] = [
  { kind: "base" },
  { kind: "input", inputId: "in-1" },
  { kind: "run", runId: "run-1" },
  { kind: "mutation_key", mutationKey: "key-mutation-1" },
  { kind: "oldest_pending" },
  { kind: "row", table: "events", key: ["orders", "m-1"] },
];

async function perform(store: Store, owner: Owner, step: Step, now: number): Promise<unknown> {
  switch (step.kind) {
    case "commit": {
      const dueAt = step.dueInMs === null ? null : now + step.dueInMs;
      const epoch = owner.epoch - step.epochBehind;
      const answer = await owner.commit({ rows: step.rows, dueAt, epoch });
      // Which constraint speaks first when a row breaks two is nobody's promise.
      return answer.kind === "refused" ? "refused" : answer;
    }
    case "append":
      return store.appendCommand(command(step.id, { at: now }));
    case "host":
      return performHostCall(store, owner, step);
    case "wait":
      return null;
  }
}

async function performHostCall(
  store: Store,
  owner: Owner,
  { host, call }: Extract<Step, { kind: "host" }>,
): Promise<unknown> {
  switch (call) {
    case "openHost":
      return store.openHost({ incarnation: host, leaseMs: 50 });
    case "claim": {
      const answer = await store.claim(host, 5);
      owner.epoch = answer.claims[0]?.epoch ?? owner.epoch;
      return answer;
    }
    case "release":
      return store.release(host, owner);
    default:
      return store[call](host);
  }
}

/** A name that is taken is an answer like any other, as long as both stores give it. */
async function outcomeOf(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof HostError) return error.code;
    throw error;
  }
}

async function observe(store: Store, owner: Owner, since: string): Promise<unknown> {
  const loaded = await store.load(owner.workflow, needs);
  const rows = loaded.rows.map((row) => JSON.stringify(row)).sort();
  return {
    everything: await everythingOf(store, owner),
    loaded: { ...loaded, rows },
    nextDueAt: await store.nextDueAt(),
    census: await store.census(),
    changed: (await store.readChanges(since)).changed,
  };
}

async function expectAgreement(open: OpenStore, steps: readonly Step[]): Promise<void> {
  let now = startOfTime;
  const options = { clock: () => now, newIncarnation: () => "store" };
  const memory = openMemoryStore(options);
  const { store: other, remove } = await open(options);
  try {
    const inMemory = await Owner.create(memory);
    const inOther = await Owner.create(other);
    for (const owner of [inMemory, inOther]) await owner.persist(...startingRows);
    const [memoryStart, otherStart] = [
      (await memory.readChanges(null)).cursor,
      (await other.readChanges(null)).cursor,
    ];
    for (const step of steps) {
      if (step.kind === "wait") now += step.ms;
      const expected = await outcomeOf(perform(memory, inMemory, step, now));
      expect(await outcomeOf(perform(other, inOther, step, now))).toEqual(expected);
    }
    expect(await observe(other, inOther, otherStart)).toEqual(
      await observe(memory, inMemory, memoryStart),
    );
  } finally {
    await other.close();
    await remove?.();
    await memory.close();
  }
}

/** Memory and the other judge and keep the same, whatever they are asked. */
export async function expectAgreementWith(open: OpenStore, runCount: number): Promise<void> {
  const steps = fc.array(randomStep, { minLength: 10, maxLength: 60 });
  const property = fc.asyncProperty(steps, (played) => expectAgreement(open, played));
  await fc.assert(property, { numRuns: Math.ceil(runCount * scale) });
}
