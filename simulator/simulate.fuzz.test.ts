import { describe, expect, test } from "vitest";
import type { SimHostParts } from "./sim-host.ts";
import { simulate } from "./simulate.ts";

const seedsPerTest = Math.ceil(30 * Number(process.env["HOLDFAST_FUZZ_SCALE"] ?? 1));
const firstSeed = Number(process.env["HOLDFAST_FUZZ_SEED"] ?? 1);

describe("in worlds where hosts die and stand still, the shop lies and commits hide", () => {
  test.each(Array.from({ length: 10 }, (_, index) => firstSeed + index * seedsPerTest))(
    "[R134] [R157] every order is booked once, none is lost, all is explained (from seed %i)",
    async (first) => {
      for (let seed = first; seed < first + seedsPerTest; seed++) {
        const { problems, bookings } = await simulate(seed);
        expect(problems, `seed ${seed}`).toEqual([]);
        expect(bookings).toBeGreaterThan(0);
      }
    },
  );

  test("the same seed is the same world", async () => {
    expect(await simulate(firstSeed)).toEqual(await simulate(firstSeed));
  });
});

type Options = Parameters<NonNullable<SimHostParts["spoil"]>>[0];
type Store = Options["store"];

/** The store with one method done wrong. */
function withStore(options: Options, wrong: (store: Store) => Partial<Store>): Options {
  const { store } = options;
  const replaced = wrong(store);
  const spoiled = new Proxy(store, {
    get: (target, name) => Reflect.get(replaced, name) ?? Reflect.get(target, name),
  });
  return { ...options, store: spoiled };
}

/** The outside with sending done wrong. */
function withSend(
  options: Options,
  wrong: (send: ReturnType<Options["outside"]>["send"]) => typeof send,
): Options {
  const outside = (workflow: string) => {
    const world = options.outside(workflow);
    return { ...world, send: wrong(world.send) };
  };
  return { ...options, outside };
}

const planted: readonly (readonly [string, (options: Options) => Options])[] = [
  [
    "a timeout is taken for a failure",
    (options) =>
      withSend(options, (send) => async (...given) => {
        const outcome = await send(...given);
        if (outcome.says !== "unknown") return outcome;
        const failure = { class: "transient", message: "timeout", location: "" } as const;
        return { says: "failed", failure, jitter: 0 };
      }),
  ],
  [
    "the last check before sending is left out",
    (options) => withSend(options, (send) => (call) => send(call, () => true)),
  ],
  [
    "a commit that is unknown is taken for done",
    (options) =>
      withStore(options, (store) => ({
        commit: async (changes) =>
          (await store.commit(changes)).map((answer, index) => {
            const change = changes[index];
            if (answer.kind !== "unknown" || change === undefined) return answer;
            return { kind: "committed", head: change.expectedHead + change.records.length };
          }),
      })),
  ],
  [
    "an owner that was replaced goes on committing",
    (options) =>
      withStore(options, (store) => ({
        commit: async (changes) => {
          const now = await Promise.all(
            changes.map(async (change) => {
              const { epoch, head } = await store.load(change.workflow, []);
              return { ...change, epoch, expectedHead: head.seq };
            }),
          );
          return store.commit(now);
        },
      })),
  ],
  [
    "an event is never shown",
    (options) =>
      withStore(options, (store) => ({
        peek: async (...given) => {
          const shown = await store.peek(...given);
          return { ...shown, events: shown.events.filter(({ messageId }) => messageId !== "o-2") };
        },
      })),
  ],
  [
    "nobody is told when the next thing is due",
    (options) =>
      withStore(options, (store) => ({
        commit: (changes) => store.commit(changes.map((change) => ({ ...change, dueAt: null }))),
      })),
  ],
];

describe("the simulator finds it when", () => {
  test.each(planted)("%s", async (_, spoil) => {
    for (let seed = firstSeed; seed < firstSeed + 200; seed++) {
      const { problems } = await simulate(seed, spoil).catch((error: unknown) => ({
        problems: [String(error)],
      }));
      if (problems.length > 0) return;
    }
    expect.unreachable("two hundred worlds in which nothing was noticed");
  });
});
