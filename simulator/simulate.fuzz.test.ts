import { type CanonicalValue, decodeCanonical, encodeCanonical } from "@holdfast/core";
import { QuietTimes } from "@holdfast/host";
import { Permissions, Sender } from "@holdfast/host/testing";
import { afterEach, describe, expect, test, vi } from "vitest";
import { forgetfulScript } from "./order-machine.ts";
import type { SimHostParts } from "./sim-host.ts";
import { simulate } from "./simulate.ts";

const seedsPerTest = Math.ceil(30 * Number(process.env["HOLDFAST_FUZZ_SCALE"] ?? 1));
const firstSeed = Number(process.env["HOLDFAST_FUZZ_SEED"] ?? 1);

describe("in worlds where hosts die, clocks jump, the shop lies and the store fails", () => {
  test.each(Array.from({ length: 10 }, (_, index) => firstSeed + index * seedsPerTest))(
    "[R134, R157, R90] every order is booked once, as agreed, and none is lost (from seed %i)",
    async (first) => {
      const met = { bookings: 0, unknowns: 0, found: 0, repeated: 0, agreed: 0, edited: 0 };
      for (let seed = first; seed < first + seedsPerTest; seed++) {
        const { problems, ...came } = await simulate(seed);
        expect(problems, `seed ${seed}`).toEqual([]);
        for (const each of Object.keys(met) as (keyof typeof met)[]) met[each] += came[each];
      }
      // Every way to deal with a lost answer was needed.
      for (const count of Object.values(met)) expect(count).toBeGreaterThan(0);
    },
  );

  test("[R78, L7] every call of an item is made once, whatever happens to its hosts", async () => {
    const met = { bookings: 0, unknowns: 0, found: 0, repeated: 0 };
    for (let seed = firstSeed; seed < firstSeed + seedsPerTest / 3; seed++) {
      const { problems, ...came } = await simulate(seed, undefined, "job");
      expect(problems, `seed ${seed}`).toEqual([]);
      for (const each of Object.keys(met) as (keyof typeof met)[]) met[each] += came[each];
    }
    for (const count of Object.values(met)) expect(count).toBeGreaterThan(0);
  });

  test("[M.P-1, M.R-8, M.K7.7-4] every intent of a machine is settled once", async () => {
    const met = { bookings: 0, unknowns: 0, found: 0, repeated: 0 };
    for (let seed = firstSeed; seed < firstSeed + seedsPerTest / 3; seed++) {
      const { problems, ...came } = await simulate(seed, undefined, "machine");
      expect(problems, `seed ${seed}`).toEqual([]);
      for (const each of Object.keys(met) as (keyof typeof met)[]) met[each] += came[each];
    }
    for (const count of Object.values(met)) expect(count).toBeGreaterThan(0);
  });

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

/** The outside that says or does something else when it is asked. */
function withOutside(
  options: Options,
  wrong: (world: ReturnType<Options["outside"]>) => Partial<typeof world>,
): Options {
  const outside = (workflow: string) => {
    const world = options.outside(workflow);
    return { ...world, ...wrong(world) };
  };
  return { ...options, outside };
}

const { reportFor } = Sender.prototype;
const { judge } = Permissions.prototype;

let sends = 0;

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
    (options) => withSend(options, (send) => (call, _, signal) => send(call, () => true, signal)),
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
  [
    "a call is sent again because its outcome could not be stored",
    (options) => {
      let again = async (): Promise<unknown> => null;
      const sending = withSend(options, (send) => (...given) => {
        again = () => send(...given);
        return send(...given);
      });
      return withStore(sending, (store) => ({
        commit: async (changes) => {
          try {
            return await store.commit(changes);
          } catch (error) {
            await again();
            throw error;
          }
        },
      }));
    },
  ],
  [
    "what came of a send is forgotten when the store fails",
    (options) => {
      vi.spyOn(Sender.prototype, "reportFor").mockImplementation(function (this: Sender, view) {
        this.reported();
        return reportFor.call(this, view);
      });
      return options;
    },
  ],
  [
    "not being there counts before it would have to be visible",
    (options) => {
      vi.spyOn(QuietTimes.prototype, "countMs").mockReturnValue(Number.MAX_SAFE_INTEGER);
      return options;
    },
  ],
  [
    "who is asked says that it happened, whatever happened",
    (options) =>
      withOutside(options, () => ({
        reconcile: async () => ({ says: "applied", result: encodeCanonical({ number: 0 }) }),
      })),
  ],
  [
    "a service is thought to tell repeats by their key, and does not",
    (options) =>
      withOutside(options, ({ describe: real }) => ({
        describe: (call) => ({ ...real(call), retentionMs: 86_400_000 }) as ReturnType<typeof real>,
      })),
  ],
  [
    "a repeat goes out under another key",
    (options) =>
      withSend(options, (send) => (call, mayGo, signal) => {
        sends += 1;
        return send({ ...call, providerKey: `${call.providerKey} ${sends}` }, mayGo, signal);
      }),
  ],
  [
    "a store that is away for a while is taken for broken",
    (options) =>
      withStore(options, (store) => ({
        commit: (changes) =>
          store.commit(changes).catch((error: unknown) => {
            throw new Error(String(error));
          }),
      })),
  ],
];

/** Of what people agree to: it has to be noticed as that. */
const plantedInApprovals: readonly (readonly [string, (options: Options) => Options])[] = [
  [
    "a grant that asks is taken for one that allows",
    (options) => {
      vi.spyOn(Permissions.prototype, "judge").mockImplementation(async function (
        this: Permissions,
        ...given
      ) {
        const judged = await judge.apply(this, given);
        return judged.says === "ask" ? { ...judged, says: "allow" } : judged;
      });
      return options;
    },
  ],
  [
    "an approval is taken for whatever waits now",
    (options) =>
      withStore(options, (store) => ({
        readInbox: async (workflow, limit) => {
          const entries = await store.readInbox(workflow, limit);
          const { rows } = await store.load(workflow, [{ kind: "base" }]);
          const waits = rows
            .flatMap((each) => (each.table === "mutations" ? [each.row] : []))
            .at(-1);
          if (!waits?.approval) return entries;
          const { mutationId, payloadHash, approval } = waits;
          const body = { mutationId, payloadHash, previewHash: approval.previewHash };
          const approves = ({ kind }: { readonly kind: string }) =>
            kind === "approve_mutation" || kind === "edit_mutation";
          return entries.map((entry) =>
            approves(entry)
              ? { ...entry, kind: "approve_mutation", body: encodeCanonical(body) }
              : entry,
          );
        },
      })),
  ],
  [
    "what was agreed to is sent in other words",
    (options) =>
      withSend(options, (send) => (call, mayGo, signal) => {
        const said = decodeCanonical(call.payload) as Readonly<Record<string, CanonicalValue>>;
        const payload = encodeCanonical({ ...said, note: "and some more" });
        return send({ ...call, payload }, mayGo, signal);
      }),
  ],
];

/** Of jobs and their items. */
const plantedInItems: readonly (readonly [string, (options: Options) => Options])[] = [
  [
    "a replay does not look into the ledger",
    (options) =>
      withStore(options, (store) => ({
        load: async (...given) => {
          const loaded = await store.load(...given);
          const isLedger = given[1].some(({ kind }) => kind === "item" || kind === "mutation_key");
          if (!isLedger) return loaded;
          return { ...loaded, rows: loaded.rows.filter(({ table }) => table !== "mutations") };
        },
      })),
  ],
  [
    "a call that is unknown is answered as if it had not been made",
    (options) =>
      withSend(options, (send) => async (...given) => {
        const outcome = await send(...given);
        if (outcome.says !== "unknown") return outcome;
        const failure = { class: "precondition", message: "no", location: "" } as const;
        return { says: "failed", failure, jitter: 0 };
      }),
  ],
];

/** Of machines. */
const plantedInMachines: readonly (readonly [string, (options: Options) => Options])[] = [
  [
    "an intent is sent before its frame is durable",
    (options) =>
      withStore(options, (store) => ({
        commit: async (changes) => {
          for (const { workflow, rows } of changes) {
            for (const each of rows) {
              if (!("table" in each) || each.table !== "mutations" || each.op !== "insert")
                continue;
              const { payload, ...call } = each.row;
              const bytes = payload.inline ?? new Uint8Array();
              const sent = { ...call, payload: bytes, timeoutMs: 1_000 };
              void options.outside(workflow).send(sent, () => true, new AbortController().signal);
            }
          }
          return store.commit(changes);
        },
      })),
  ],
  [
    "a step answers differently when it is called again",
    (options) => ({ ...options, scripts: { load: async () => forgetfulScript } }),
  ],
  [
    "an outcome is told to the machine as if nothing had happened",
    (options) =>
      withSend(options, (send) => async (...given) => {
        const outcome = await send(...given);
        if (outcome.says !== "unknown") return outcome;
        const failure = { class: "precondition", message: "no", location: "" } as const;
        return { says: "failed", failure, jitter: 0 };
      }),
  ],
];

afterEach(() => vi.restoreAllMocks());

/** What few worlds bring to light is looked for from the first one on that did. */
const noticedIn: Readonly<Record<string, number>> = {
  "the last check before sending is left out": 9,
  "an owner that was replaced goes on committing": 55,
};

describe("the simulator finds it when", () => {
  test.each(planted)("%s", async (name, spoil) => {
    const first = firstSeed - 1 + (noticedIn[name] ?? 1);
    for (let seed = first; seed < first + 200; seed++) {
      const { problems } = await simulate(seed, spoil).catch((error: unknown) => ({
        problems: [String(error)],
      }));
      if (problems.length > 0) return;
    }
    expect.unreachable("two hundred worlds in which nothing was noticed");
  });
});

describe("the simulator says that it was booked as nobody agreed to when", () => {
  test.each(plantedInApprovals)("[R90, R91] %s", async (_, spoil) => {
    for (let seed = firstSeed; seed < firstSeed + 200; seed++) {
      const { problems } = await simulate(seed, spoil);
      if (problems.some((each) => /nobody had agreed|other words/.test(each))) return;
    }
    expect.unreachable("two hundred worlds in which nothing was noticed");
  });
});

describe("with items, the simulator finds it when", () => {
  test.each(plantedInItems)("%s", async (_, spoil) => {
    for (let seed = firstSeed; seed < firstSeed + 200; seed++) {
      const { problems } = await simulate(seed, spoil, "job").catch((error: unknown) => ({
        problems: [String(error)],
      }));
      if (problems.length > 0) return;
    }
    expect.unreachable("two hundred worlds in which nothing was noticed");
  });
});

describe("with machines, the simulator finds it when", () => {
  test.each(plantedInMachines)("%s", async (_, spoil) => {
    for (let seed = firstSeed; seed < firstSeed + 200; seed++) {
      const { problems } = await simulate(seed, spoil, "machine").catch((error: unknown) => ({
        problems: [String(error)],
      }));
      if (problems.length > 0) return;
    }
    expect.unreachable("two hundred worlds in which nothing was noticed");
  });
});
