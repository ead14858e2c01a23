import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { defineConnector } from "@holdfast/connector-kit";
import { encodeCanonical, hashText } from "@holdfast/core";
import { signedTree } from "@holdfast/core/machine";
import { expect, test } from "vitest";
import { useListedKeys } from "../machines/executor-keys.ts";
import { AccountRests } from "./account-rests.ts";
import { ConnectedWorld } from "./connected-world.ts";
import { leafOf, moduleOf, RemoteDesk, type RemoteResult, type RemoteWork } from "./remote-desk.ts";

/** Time that goes on when it is told to. */
class HandTimers {
  readonly #set = new Set<{ readonly ms: number; readonly onTime: () => void }>();

  get count(): number {
    return this.#set.size;
  }

  setTimer(ms: number, onTime: () => void): () => void {
    const timer = { ms, onTime };
    this.#set.add(timer);
    return () => this.#set.delete(timer);
  }

  pass(ms: number): void {
    for (const timer of [...this.#set]) {
      if (timer.ms <= ms && this.#set.delete(timer)) timer.onTime();
    }
  }
}

const timeoutMs = 50;
const never = new AbortController().signal;

const operation = (kind: "read:list" | "metered" | "mutation") => ({
  kind,
  readParams: (given: unknown) => given,
  identity: () => null,
  target: () => "ship",
  describe: () => "",
  guarantee: () => ({
    canReconcile: true,
    idempotency: { retentionMs: 60_000 },
    visibilityDelayMs: 5,
  }),
  reconcile: async () => ({ says: "retry", note: "" }) as const,
  execute: async () => {
    throw new Error("this process executes nothing of it");
  },
});

const ship = defineConnector<{ readonly timeoutMs: number }>({
  name: "ship",
  version: "1",
  readAccount: () => ({ timeoutMs }),
  operations: {
    look: operation("read:list"),
    weigh: operation("metered"),
    load: operation("mutation"),
  },
});

const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const der = new Uint8Array(publicKey.export({ format: "der", type: "spki" }));
useListedKeys([{ module: moduleOf("ship"), publicKeys: [der], secret: null }]);

function newWorld() {
  const timers = new HandTimers();
  const desk = new RemoteDesk(timers, ["ship"]);
  const connections = new Map([["ship", ship.connect("ship", {})]]);
  const own = { rests: new AccountRests(), now: () => 1_000, timers, random: () => 0 };
  const world = new ConnectedWorld({ ...own, connections, desk });
  const handout = "m-1/1";
  const intent = { workflow: "w", intentId: "ab".repeat(32), handout, executor: null };
  const name = { connection: "ship", intent };
  const sent = { target: "ship (ship)", payload: encodeCanonical({}), providerKey: "k", timeoutMs };
  const take = (executor = "ship", reaches = () => true) =>
    desk.take({ executor, reaches, waitMs: 0, signal: never });
  return {
    desk,
    timers,
    /** Null = there was nothing by then. */
    async take(executor?: string, reaches?: () => boolean) {
      const taking = take(executor, reaches);
      timers.pass(0);
      return taking;
    },
    send: (mayGo = () => true, signal = never) =>
      world.send({ ...name, operation: "load", ...sent }, mayGo, signal),
    read: (operation = "look") => world.read({ ...name, operation, params: "{}" }, never),
    describe: () => world.describe({ connection: "ship", operation: "load", params: "{}" }),
    asConsumer: () =>
      world.send({ connection: "ship", operation: "load", ...sent }, () => true, never),
  };
}

function receipt(work: RemoteWork | null, said: RemoteResult, secret: KeyObject = privateKey) {
  if (work === null) throw new Error("nothing was taken");
  const { handout, workflow, intentId } = work;
  const payload = said.status === "ok" ? said.result : { code: said.class, message: said.message };
  const leaf = leafOf(work, said.status, encodeCanonical(payload));
  const bytes = new Uint8Array(sign(null, signedTree([leaf])?.statement ?? leaf, secret));
  return { handout, workflow, intentId, ...said, signed: { keyId: hashText(der), bytes } };
}

const done = { status: "ok", result: { tons: 5 } } as const;

test("a change is handed out once, after the last check, to who executes it", async () => {
  const { desk, take, send } = newWorld();
  const asked: string[] = [];
  const sending = send(() => asked.push("checked") > 0);
  expect([await take("mail"), await take("ship", () => false), asked]).toEqual([null, null, []]);
  const work = await take();
  expect(work).toMatchObject({ handout: "m-1/1", kind: "mutation", key: "k", account: "ship" });
  expect([await take(), asked]).toEqual([null, ["checked"]]);
  const good = receipt(work, done);
  expect(desk.receive("mail", good)).toBe("key_of_another");
  expect(desk.receive("ship", good)).toBe("received");
  const { signed } = good;
  const result = encodeCanonical(done.result);
  expect(await sending).toEqual({ says: "applied", result, signed });
  expect(desk.receive("ship", good)).toBe("received");
  expect(desk.receive("ship", receipt(work, { ...done, result: null }))).toBe("conflict");
});

test("what the last check forbids is not handed out", async () => {
  const { take, send } = newWorld();
  const sending = send(() => false);
  expect(await take()).toBeNull();
  expect(await sending).toEqual({ says: "unsent" });
});

test("where nobody asks for work a change waits in the ledger, and was not sent", async () => {
  const { take, send, timers } = newWorld();
  const sending = send();
  timers.pass(5_000);
  expect(await sending).toEqual({ says: "unsent", awaitsExecutor: "ship" });
  expect(await take()).toBeNull();
});

test("silence after a change was taken, or a host that stops, is unknown", async () => {
  for (const isStopped of [false, true]) {
    const { desk, take, send, timers } = newWorld();
    const stop = new AbortController();
    const sending = send(() => true, stop.signal);
    const work = await take();
    if (isStopped) stop.abort();
    else timers.pass(timeoutMs);
    expect(await sending).toMatchObject({ says: "unknown" });
    expect(await take()).toBeNull();
    expect(desk.receive("ship", receipt(work, done))).toBe("nobody_waits");
  }
});

test("a host that stops keeps nobody who waits for work, and no timer of theirs", async () => {
  const { desk, take, timers } = newWorld();
  await take();
  void desk.expect("ship", "w");
  const wait = () =>
    desk.take({ executor: "ship", reaches: () => true, waitMs: 9_000, signal: never });
  const waiting = wait();
  desk.close();
  expect([await waiting, await wait()]).toEqual([null, null]);
  expect(timers.count).toBe(0);
});

test("a change is not sent again under its key, whatever the service remembers", () => {
  expect(newWorld().describe()).toMatchObject({ retentionMs: null, canReconcile: true });
});

test("a read that was taken and not answered is handed out once more", async () => {
  const { desk, take, read, timers } = newWorld();
  const reading = read();
  const first = await take();
  timers.pass(timeoutMs);
  await new Promise(setImmediate);
  const second = await take();
  expect([first?.kind, second?.handout === first?.handout]).toEqual(["read", false]);
  expect(desk.receive("ship", receipt(first, done))).toBe("nobody_waits");
  expect(desk.receive("ship", receipt(second, done))).toBe("received");
  expect(await reading).toMatchObject({ says: "value", value: '{"tons":5}' });
});

test("[C28] a metered call that was taken is not handed out again: it may be paid", async () => {
  const { take, read, timers } = newWorld();
  const reading = read("weigh");
  expect(await take()).toMatchObject({ kind: "read", operation: "weigh" });
  timers.pass(timeoutMs);
  expect(await reading).toMatchObject({ says: "failed", failure: { class: "transient" } });
  expect(await take()).toBeNull();
});

test("nothing was done, says the executor: a definite failure, with its signature", async () => {
  const { desk, take, send } = newWorld();
  const sending = send();
  const said = { status: "error", class: "logic", message: "no such ship" } as const;
  const given = receipt(await take(), said);
  desk.receive("ship", given);
  const failure = { class: "logic", message: "no such ship" };
  expect(await sending).toMatchObject({ says: "failed", failure, signed: given.signed });
});

test("another's key says nothing, and the call goes on waiting for its executor", async () => {
  const { desk, take, send } = newWorld();
  const sending = send();
  const work = await take();
  const stranger = generateKeyPairSync("ed25519").privateKey;
  expect(desk.receive("ship", receipt(work, done, stranger))).toBe("signature_wrong");
  const good = receipt(work, done);
  const unlisted = { ...good, signed: { ...good.signed, keyId: "nobody" } };
  expect(desk.receive("ship", unlisted)).toBe("key_unlisted");
  expect(desk.receive("ship", { ...good, workflow: "v" })).toBe("instance_wrong");
  expect(desk.receive("ship", good)).toBe("received");
  expect(await sending).toMatchObject({ says: "applied" });
});

test("what is executed elsewhere is for machines: a consumer's call is not made", async () => {
  const outcome = await newWorld().asConsumer();
  expect(outcome).toMatchObject({ says: "failed", failure: { class: "precondition" } });
});
