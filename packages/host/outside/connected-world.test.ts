import {
  type Connected,
  ConnectorError,
  defineConnector,
  type OperationCall,
} from "@holdfast/connector-kit";
import { encodeCanonical } from "@holdfast/core";
import { expect, test } from "vitest";
import type { DescribedCall } from "../engine/ports.ts";
import { realTimers } from "../membership/real-time.ts";
import type { Timers } from "../membership/time.ts";
import { AccountRests } from "./account-rests.ts";
import { ConnectedWorld } from "./connected-world.ts";

const done: string[] = [];
const never = new AbortController().signal;

type ShopAccount = {
  timeoutMs: number;
  /** Where its service looks for the key. */
  header?: string;
  fails?: unknown;
  finds?: () => unknown;
  /** Its result; the default fits what it declares. */
  answers?: () => unknown;
  /** Instead of an answer, once it was allowed to go. */
  hangs?: (signal: AbortSignal) => Promise<never>;
};

const shop = defineConnector<ShopAccount>({
  name: "shop",
  version: "1",
  readAccount: (given) => given as ShopAccount,
  operations: {
    look: operation("read:list"),
    book: operation("mutation"),
  },
});

/** As connectors do it: what they say of a result is not about the call. */
function checkResult(given: unknown): void {
  if (typeof given === "object" && given !== null && !Array.isArray(given)) return;
  throw new ConnectorError("logic", "no", "/: not an object");
}

function operation(kind: "read:list" | "mutation") {
  return {
    kind,
    readParams: (given: unknown) => given,
    identity: () => null,
    target: (_: object, params: unknown) => `shop ${JSON.stringify(params)}`,
    describe: () => "",
    guarantee: () => ({
      canReconcile: true,
      idempotency: { retentionMs: 60_000 },
      visibilityDelayMs: 5,
    }),
    keyedBy: ({ header = "key" }: ShopAccount) => header,
    reconcile: async ({ account }: { account: ShopAccount }) => account.finds?.() as never,
    ...(kind === "read:list" ? { timeoutMs: 5 } : { checkResult }),
    execute: async ({ account, go, signal }: OperationCall<ShopAccount, unknown>) => {
      go();
      if (account.hangs !== undefined) return account.hangs(signal);
      if (account.fails !== undefined) throw account.fails;
      done.push(kind);
      return account.answers === undefined ? { ok: true } : (account.answers() as never);
    },
  };
}

type Given = {
  readonly account?: string;
  readonly header?: string;
  readonly fails?: unknown;
  readonly finds?: () => unknown;
  readonly answers?: () => unknown;
  readonly hangs?: ShopAccount["hangs"];
};

function worldWith({ account = "shop", ...given }: Given = {}) {
  const connected = shop.connect(account, { timeoutMs: 10, ...given });
  return world(new Map([["shop", connected]]));
}

function world(
  connections: ReadonlyMap<string, Connected>,
  rests = new AccountRests(),
  timers: Timers = realTimers,
) {
  return new ConnectedWorld({ connections, rests, now: () => 1_000, timers, random: () => 0 });
}

const book = { connection: "shop", operation: "book", params: '{"q":"z","page":1}' };

function sentOf(described: ReturnType<ConnectedWorld["describe"]>) {
  const { target, payload, timeoutMs } = described as DescribedCall;
  return { connection: "shop", operation: "book", target, payload, providerKey: "k", timeoutMs };
}

test("a mutation is never performed as a read", async () => {
  done.length = 0;
  expect(await worldWith().read(book, never)).toMatchObject({
    says: "failed",
    failure: { class: "logic" },
  });
  expect(done).toEqual([]);
});

test("[C28] where a call goes is told by its account and its parameters, before any I/O", () => {
  const look = { connection: "shop", operation: "look", params: '{"page":1}' };
  const ours = worldWith().goesTo(look);
  expect(worldWith().goesTo({ ...look })).toBe(ours);
  expect(worldWith({ account: "theirs" }).goesTo(look)).not.toBe(ours);
  expect(worldWith().goesTo({ ...look, params: '{"page":2}' })).not.toBe(ours);
  expect(worldWith().goesTo({ ...look, operation: "sell" })).toBeNull();
});

test("a recorded call goes out as it was recorded, in whatever order its keys came", async () => {
  const it = worldWith();
  const sent = await it.send(sentOf(it.describe(book)), () => true, never);
  expect(sent).toEqual({ says: "applied", result: encodeCanonical({ ok: true }) });
});

test("[R128] a call that was recorded for one account is not sent with another", async () => {
  done.length = 0;
  const recorded = sentOf(worldWith().describe(book));
  const sent = await worldWith({ account: "other" }).send(recorded, () => true, never);
  expect(sent).toMatchObject({ says: "failed", failure: { class: "precondition" } });
  expect(done).toEqual([]);
});

test("[R128] a call that was just described is sent by its account as it is by then", async () => {
  const accounts = new Map([["shop", shop.connect("shop", { timeoutMs: 10 })]]);
  const it = world(accounts);
  const described = sentOf(it.describe(book));
  accounts.set("shop", shop.connect("other", { timeoutMs: 10 }));
  done.length = 0;
  const sent = await it.send(described, () => true, never);
  expect(sent).toMatchObject({ says: "failed", failure: { class: "precondition" } });
  expect(done).toEqual([]);
});

test("[R75] a call is not sent by an account that keys it otherwise until judged", async () => {
  const { keyed = null } = worldWith().describe(book) as DescribedCall;
  const recorded = sentOf(worldWith().describe(book));
  const other = worldWith({ header: "other" });
  expect(other.keyedOf(book)).toEqual({
    hash: expect.not.stringContaining(`${keyed}`),
    remembers: true,
  });
  done.length = 0;
  expect(await other.send({ ...recorded, keyed }, () => true, never)).toEqual({ says: "unsent" });
  expect(done).toEqual([]);
  const judged = { ...recorded, keyed: null };
  expect(await other.send(judged, () => true, never)).toMatchObject({ says: "applied" });
  expect(await worldWith().send({ ...recorded, keyed }, () => true, never)).toMatchObject({
    says: "applied",
  });
});

test.each([
  [new ConnectorError("auth", "no", "expired"), { says: "failed", failure: { class: "auth" } }],
  [new ConnectorError("logic", "unknown", "?"), { says: "unknown" }],
  [
    new ConnectorError("transient", "no", "slow down", { retryAfterMs: 5 }),
    { says: "rate_limited", until: 1_005 },
  ],
  [new TypeError("a bug"), { says: "unknown" }],
  ["a text", { says: "unknown" }],
  [null, { says: "unknown" }],
])("[R114, S17] a send that throws %s says what is proven, and no more", async (fails, says) => {
  const it = worldWith({ fails });
  expect(await it.send(sentOf(worldWith().describe(book)), () => true, never)).toMatchObject(says);
});

test("[R114] what is held back after a first request went out is unknown, not unsent", async () => {
  let mayGo = true;
  const twice = defineConnector<ShopAccount>({
    name: "shop",
    version: "1",
    readAccount: (given) => given as ShopAccount,
    operations: {
      book: {
        ...operation("mutation"),
        execute: async ({ go }) => {
          go();
          mayGo = false;
          go();
          return { ok: true };
        },
      },
    },
  });
  const it = world(new Map([["shop", twice.connect("shop", { timeoutMs: 10 })]]));
  const call = sentOf(it.describe(book));
  expect(await it.send(call, () => mayGo, never)).toMatchObject({ says: "unknown" });
  expect(await it.send(call, () => mayGo, never)).toEqual({ says: "unsent" });
});

test("[R114, S17] a send that rejects with undefined is unknown, not answered", async () => {
  const it = worldWith({ hangs: () => Promise.reject(undefined) });
  expect(await it.send(sentOf(it.describe(book)), () => true, never)).toEqual({
    says: "unknown",
    note: "shop.book: undefined",
  });
});

test.each([
  ["another shape", () => "booked", "/: not an object"],
  ["no value that has bytes", () => ({ n: 2 ** 53 }), "n: "],
  ["no answer at all", () => undefined, "without an answer"],
])(
  "[R114] a change that was made and answers with %s is unknown, and not sent again",
  async (...[, answers, says]) => {
    const it = worldWith({ answers });
    const sent = await it.send(sentOf(it.describe(book)), () => true, never);
    expect(sent).toMatchObject({ says: "unknown", answered: true });
    expect(JSON.stringify(sent)).toContain(says);
  },
);

test("[R131] what can be relied on is recorded with the call", () => {
  expect(worldWith().describe(book)).toMatchObject({
    canReconcile: true,
    retentionMs: 60_000,
    visibilityDelayMs: 5,
  });
});

function throwing(error: unknown) {
  return () => {
    throw error;
  };
}

test.each([
  [() => ({ says: "applied", result: { n: 1 } }), { says: "applied" }],
  [() => ({ says: "not_found", note: "gone" }), { says: "not_found", note: "gone" }],
  [() => ({ says: "retry", note: "busy" }), { says: "retry", note: "busy" }],
  [throwing(new ConnectorError("transient", "no", "away")), { says: "unreachable" }],
  [throwing(new ConnectorError("transient", "unknown", "?")), { says: "retry" }],
  [throwing(new ConnectorError("auth", "no", "expired")), { says: "retry" }],
  [throwing("a text"), { says: "retry" }],
  [throwing(undefined), { says: "retry" }],
  [() => undefined, { says: "retry" }],
  [() => ({ says: "failed" }), { says: "retry" }],
  [() => ({ says: "applied", result: 2 ** 53 }), { says: "retry" }],
  [
    () => ({ says: "applied", result: "a text" }),
    { says: "retry", note: expect.stringContaining("/: not an object") },
  ],
  [() => ({ says: "applied" }), { says: "retry" }],
])("[R63, B5] what a reconcile says is taken at its word, and no more: %s", async (finds, says) => {
  const it = worldWith({ finds });
  expect(await it.reconcile(sentOf(worldWith().describe(book)), never)).toMatchObject(says);
});

test("[R63] the service of another account is not asked", async () => {
  const finds = () => ({ says: "not_found", note: "not here" });
  const recorded = sentOf(worldWith().describe(book));
  const found = await worldWith({ account: "other", finds }).reconcile(recorded, never);
  expect(found).toMatchObject({ says: "retry" });
});

test("what is not there is refused before anything happens", () => {
  const it = worldWith();
  const refused = (connection: string, name: string) =>
    it.describe({ connection, operation: name, params: "{}" });
  expect(refused("shop", "burn")).toMatchObject({ class: "logic" });
  expect(refused("constructor", "name")).toMatchObject({ class: "precondition" });
  expect(refused("shop", "toString")).toMatchObject({ class: "logic" });
});

test("[R150] a service that asks to be left alone is, by every workflow", async () => {
  const rests = new AccountRests();
  const busy = new ConnectorError("transient", "no", "slowly", { retryAfterMs: 500 });
  const worldThat = (fails?: unknown) =>
    world(new Map([["shop", shop.connect("shop", { timeoutMs: 10, fails })]]), rests);
  const call = sentOf(worldThat().describe(book));
  expect(await worldThat(busy).send(call, () => true, never)).toEqual({
    says: "rate_limited",
    until: 1_500,
  });
  done.length = 0;
  expect(await worldThat().send(call, () => true, never)).toEqual({
    says: "rate_limited",
    until: 1_500,
  });
  const look = { connection: "shop", operation: "look", params: "{}" };
  expect(await worldThat().read(look, never)).toMatchObject({ says: "failed", retryAt: 1_500 });
  expect(done).toEqual([]);
  const other = new Map([["shop", shop.connect("other", { timeoutMs: 10 })]]);
  const elsewhere = world(other, rests);
  expect(await elsewhere.send(sentOf(elsewhere.describe(book)), () => true, never)).toMatchObject({
    says: "applied",
  });
});

test("[R150] whoever asks what came of a call leaves the service alone too", async () => {
  const rests = new AccountRests();
  const busy = new ConnectorError("transient", "no", "slowly", { retryAfterMs: 500 });
  let askedCount = 0;
  const finds = () => {
    askedCount += 1;
    throw busy;
  };
  const asking = world(new Map([["shop", shop.connect("shop", { timeoutMs: 10, finds })]]), rests);
  const call = sentOf(asking.describe(book));
  expect(await asking.reconcile(call, never)).toMatchObject({ says: "unreachable" });
  expect(await asking.reconcile(call, never)).toMatchObject({
    says: "unreachable",
    note: "shop asked to be left alone",
  });
  expect(askedCount).toBe(1);
  expect(await asking.send(call, () => true, never)).toEqual({
    says: "rate_limited",
    until: 1_500,
  });
});

test("an operation has its own time, and the account's if that is shorter", () => {
  const timeouts = (timeoutMs: number) => {
    const { operations } = shop.connect("shop", { timeoutMs });
    return [operations["look"]?.timeoutMs, operations["book"]?.timeoutMs];
  };
  expect(timeouts(10)).toEqual([5, 10]);
  expect(timeouts(3)).toEqual([3, 3]);
});

test("[R114] a change that was broken off is unknown, whatever its connector says", async () => {
  const giveUp = new AbortController();
  const hangs = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      const proof = new ConnectorError("transient", "no", "I am sure");
      signal.addEventListener("abort", () => reject(proof));
      giveUp.abort();
    });
  const it = worldWith({ hangs });
  const sent = await it.send(sentOf(it.describe(book)), () => true, giveUp.signal);
  expect(sent).toMatchObject({ says: "unknown" });
});

test("[R107] a read that never ends is given up, and may work another time", async () => {
  const hangs = () => new Promise<never>(() => {});
  const look = { connection: "shop", operation: "look", params: "{}" };
  const virtual = {
    setTimer: (ms: number, onTime: () => void) => {
      waits.push(ms);
      onTime();
      return () => {};
    },
  };
  const waits: number[] = [];
  const it = world(
    new Map([["shop", shop.connect("shop", { timeoutMs: 10, hangs })]]),
    undefined,
    virtual,
  );
  expect(await it.read(look, never)).toMatchObject({
    says: "failed",
    failure: { class: "transient" },
    retryAt: null,
  });
  expect(waits).toEqual([2 * 5 + 1_000]);
});

test.each(["transient", "auth", "permission", "precondition", "logic"] as const)(
  "[R107] what goes wrong has the class its connector says, whatever it says beside: %s",
  async (kind) => {
    const fails = new ConnectorError(kind, "no", "401 timeout, TypeError: forbidden");
    const it = worldWith({ fails });
    const look = { connection: "shop", operation: "look", params: "{}" };
    expect(await it.read(look, never)).toMatchObject({ failure: { class: kind } });
    const sent = await it.send(sentOf(it.describe(book)), () => true, never);
    expect(sent).toMatchObject({ says: "failed", failure: { class: kind } });
  },
);

test.each(["401 unauthorized", "ETIMEDOUT", "the script is wrong"])(
  "[R107] what no connector has said is nothing but a mistake of ours, whatever its text: %s",
  async (text) => {
    const look = { connection: "shop", operation: "look", params: "{}" };
    const it = worldWith({ fails: new Error(text) });
    expect(await it.read(look, never)).toMatchObject({ failure: { class: "internal" } });
  },
);

test("[R110] a refused account is named in the failure, and only there", async () => {
  const account = "shop of the north";
  for (const kind of ["auth", "permission"] as const) {
    const it = worldWith({ account, fails: new ConnectorError(kind, "no", "go away") });
    const sent = await it.send(sentOf(it.describe(book)), () => true, never);
    const message = `account ${account}: go away`;
    expect(sent).toMatchObject({ failure: { class: kind, account, message } });
  }
  const other = worldWith({ account, fails: new ConnectorError("logic", "no", "no such thing") });
  const sent = await other.send(sentOf(other.describe(book)), () => true, never);
  expect(sent).not.toHaveProperty("failure.account");
});
