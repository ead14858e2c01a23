import { type CanonicalValue, decodeCanonical, encodeCanonical } from "@holdfast/core";
import { QuietTimes } from "@holdfast/host";
import { Permissions, Sender } from "@holdfast/host/testing";
import { vi } from "vitest";
import { forgetfulScript } from "./order-machine.ts";
import type { SimHostParts } from "./sim-host.ts";

type Options = Parameters<NonNullable<SimHostParts["spoil"]>>[0];
type Store = Options["store"];

type Spoil = (options: Options) => Options;
/** What is done wrong, and what has to be said of it: anything else that goes wrong is no find. */
type Planted = readonly [what: string, finding: RegExp, spoil: Spoil];
type Approval = readonly [what: string, spoil: Spoil];

const findings = {
  twice: /was booked twice under one key/,
  count: /was booked \d+ times/,
  quiet: /when its sender had to be quiet/,
  unrecorded: /without being in the ledger as sent/,
  lost: /is (pending|reserved|missing) at the end/,
  tables: /TABLES_DIFFER.*due at/,
  broken: /^\w+ is broken: /,
  replay: /: replay .*record\.differs/,
} as const;

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

export const planted: readonly Planted[] = [
  [
    "a timeout is taken for a failure",
    findings.twice,
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
    findings.quiet,
    (options) => withSend(options, (send) => (call, _, signal) => send(call, () => true, signal)),
  ],
  [
    "a commit that is unknown is taken for done",
    findings.unrecorded,
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
    findings.broken,
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
    findings.lost,
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
    findings.tables,
    (options) =>
      withStore(options, (store) => ({
        commit: (changes) => store.commit(changes.map((change) => ({ ...change, dueAt: null }))),
      })),
  ],
  [
    "a call is sent again because its outcome could not be stored",
    findings.twice,
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
    findings.twice,
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
    findings.twice,
    (options) => {
      vi.spyOn(QuietTimes.prototype, "countMs").mockReturnValue(Number.MAX_SAFE_INTEGER);
      return options;
    },
  ],
  [
    "who is asked says that it happened, whatever happened",
    findings.count,
    (options) =>
      withOutside(options, () => ({
        reconcile: async () => ({ says: "applied", result: encodeCanonical({ number: 0 }) }),
      })),
  ],
  [
    "a service is thought to tell repeats by their key, and does not",
    findings.twice,
    (options) =>
      withOutside(options, ({ describe: real }) => ({
        describe: (call) => ({ ...real(call), retentionMs: 86_400_000 }) as ReturnType<typeof real>,
      })),
  ],
  [
    "a repeat goes out under another key",
    findings.unrecorded,
    (options) =>
      withSend(options, (send) => (call, mayGo, signal) => {
        sends += 1;
        return send({ ...call, providerKey: `${call.providerKey} ${sends}` }, mayGo, signal);
      }),
  ],
  [
    "a store that is away for a while is taken for broken",
    findings.broken,
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
export const plantedInApprovals: readonly Approval[] = [
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
export const plantedInItems: readonly Planted[] = [
  [
    "a replay does not look into the ledger",
    findings.broken,
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
    findings.lost,
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
export const plantedInMachines: readonly Planted[] = [
  [
    "an intent is sent before its frame is durable",
    findings.unrecorded,
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
    findings.replay,
    (options) => ({ ...options, scripts: { load: async () => forgetfulScript } }),
  ],
  [
    "an outcome is told to the machine as if nothing had happened",
    findings.count,
    (options) =>
      withSend(options, (send) => async (...given) => {
        const outcome = await send(...given);
        if (outcome.says !== "unknown") return outcome;
        const failure = { class: "precondition", message: "no", location: "" } as const;
        return { says: "failed", failure, jitter: 0 };
      }),
  ],
];
