import { ConnectorError, defineConnector, type OperationCall } from "@holdfast/connector-kit";
import { type CanonicalValue, decodeCanonical } from "@holdfast/core";
import { expect, test } from "vitest";
import type { DescribedCall } from "../engine/ports.ts";
import { realTimers } from "../membership/real-time.ts";
import { AccountRests } from "./account-rests.ts";
import { ConnectedWorld } from "./connected-world.ts";
import type { Secrets } from "./secret-references.ts";

const never = new AbortController().signal;
const value = "k3y-of-the-crm";

type Given = { readonly to: string; readonly secretHeaders?: Readonly<Record<string, string>> };
type Say = (params: Given) => CanonicalValue;

/** A service that does with what it is sent whatever a test says. */
function worldThat(say: Say, secrets?: Secrets) {
  const seen: Given[] = [];
  const operation = (kind: "mutation" | "read:byId") => ({
    kind,
    secretParams: ["secretHeaders"],
    readParams: (given: unknown) => given as Given,
    identity: ({ to }: Given) => to,
    target: () => "crm",
    describe: (_: object, params: Given) => JSON.stringify(params),
    guarantee: () => ({ canReconcile: true, idempotency: null, visibilityDelayMs: null }),
    guarantees: () => [],
    execute: async ({ params, go, frame }: OperationCall<{ timeoutMs: number }, Given>) => {
      go();
      frame("sent", params);
      seen.push(params);
      return say(params);
    },
    reconcile: async ({ params }: { params: Given }) => {
      seen.push(params);
      return { says: "applied", result: say(params) } as const;
    },
  });
  const crm = defineConnector<{ timeoutMs: number }>({
    name: "crm",
    version: "1",
    readAccount: () => ({ timeoutMs: 10 }),
    operations: { post: operation("mutation"), get: operation("read:byId") },
  });
  const world = new ConnectedWorld({
    connections: new Map([["crm", crm.connect("main", {})]]),
    rests: new AccountRests(),
    now: () => 1_000,
    timers: realTimers,
    random: () => 0,
    ...(secrets === undefined ? {} : { secrets }),
  });
  return { world, seen };
}

const asked: string[] = [];
const has: Secrets = {
  reveal: (name, account) => {
    asked.push(`${name} for ${account}`);
    return name === "crm" ? { ok: true, text: value } : { ok: false, why: `no ${name}` };
  },
};
const lacks: Secrets = { reveal: (name) => ({ ok: false, why: `no ${name}` }) };

const params = JSON.stringify({ to: "ada", secretHeaders: { "x-key": "crm" } });
const post = { connection: "crm", operation: "post", params };
const get = { connection: "crm", operation: "get", params };

function recorded(world: ConnectedWorld) {
  const { target, payload, timeoutMs } = world.describe(post) as DescribedCall;
  return { connection: "crm", operation: "post", target, payload, providerKey: "k", timeoutMs };
}

test("[M.E-11] what is recorded and shown has the name, what is sent has the value", async () => {
  const { world, seen } = worldThat(() => "done", has);
  const described = world.describe(post) as DescribedCall;
  expect(decodeCanonical(described.payload)).toEqual(JSON.parse(params));
  expect(described.preview).toBe(params);
  const call = recorded(world);
  expect(await world.send(call, () => true, never)).toMatchObject({ says: "applied" });
  expect(await world.read(get, never)).toMatchObject({ says: "value" });
  expect(await world.reconcile(call, never)).toMatchObject({ says: "applied" });
  expect(seen).toEqual(Array(3).fill({ to: "ada", secretHeaders: { "x-key": value } }));
  expect(new Set(asked)).toEqual(new Set(["crm for main"]));
});

test("[M.E-11] a service that repeats the value is not repeated", async () => {
  const { world } = worldThat(
    ({ secretHeaders = {} }) => ({ you: { said: [secretHeaders] } }),
    has,
  );
  const call = recorded(world);
  const said = { you: { said: [{ "x-key": "(hidden)" }] } };
  const sent = await world.send(call, () => true, never);
  expect(sent.says === "applied" && decodeCanonical(sent.result ?? new Uint8Array())).toEqual(said);
  const read = await world.read(get, never);
  expect(read).toEqual({ says: "value", value: JSON.stringify(said) });
  const found = await world.reconcile(call, never);
  expect(found.says === "applied" && decodeCanonical(found.result)).toEqual(said);
});

test("[M.E-11] a value that is a part of a number breaks nothing that was done", async () => {
  const reveal = () => ({ ok: true, text: "2345" }) as const;
  const { world } = worldThat(() => ({ id: 123456, said: "23\\u00345" }), { reveal });
  const sent = await world.send(recorded(world), () => true, never);
  expect(sent.says === "applied" && decodeCanonical(sent.result ?? new Uint8Array())).toEqual({
    id: "1(hidden)6",
    said: "(hidden)",
  });
});

test.each([
  (text: string) => new ConnectorError("auth", "no", `${text} is wrong`),
  (text: string) => new ConnectorError("transient", "unknown", `${text} is wrong`),
  (text: string) => new TypeError(`${text} is wrong`),
  (text: string) => `${text} is wrong`,
])("[M.E-11] nor is what its connector says about it", async (errorOf) => {
  const { world } = worldThat(({ secretHeaders = {} }) => {
    throw errorOf(JSON.stringify(secretHeaders));
  }, has);
  const call = recorded(world);
  const all = [
    await world.send(call, () => true, never),
    await world.read(get, never),
    await world.reconcile(call, never),
  ];
  expect(JSON.stringify(all)).not.toContain(value);
  expect(JSON.stringify(all[0])).toContain("(hidden)");
});

test.each([
  ["that declares none", undefined],
  ["that this host has nothing for", lacks],
])("[M.E-11] a name of a version %s fails the call, and nothing is sent", async (_, secrets) => {
  const call = recorded(worldThat(() => null, has).world);
  const { world, seen } = worldThat(() => null, secrets);
  expect(world.describe(post)).toMatchObject({ class: "precondition" });
  const failed = { says: "failed", failure: { class: "precondition" } };
  expect(await world.read(get, never)).toMatchObject(failed);
  // It was there when the call was recorded.
  expect(await world.send(call, () => true, never)).toMatchObject(failed);
  expect(await world.reconcile(call, never)).toMatchObject({ says: "retry" });
  expect(seen).toEqual([]);
});

test("[M.E-11] a name is a reference only where the operation says so", async () => {
  const { world, seen } = worldThat(() => null, has);
  const body = { to: "ada", body: { "x-key": "crm" } };
  await world.read({ ...get, params: JSON.stringify(body) }, never);
  expect(seen).toEqual([body]);
});

test("[M.E-11, M.V-7] progress is passed on, and the value in it is not", async () => {
  const said: unknown[] = [];
  const { world } = worldThat(() => "done", has);
  const onFrame = (frame: object) => said.push(frame);
  await world.send(recorded(world), () => true, never, onFrame);
  await world.read(get, never, onFrame);
  const frame = { kind: "sent", payload: { to: "ada", secretHeaders: { "x-key": "(hidden)" } } };
  expect(said).toEqual([frame, frame]);
});

test("[M.V-11] a call that ends without an answer has said nothing of its outcome", async () => {
  const { world } = worldThat(() => undefined as never, has);
  expect(await world.read(get, never)).toMatchObject({ says: "failed" });
  expect(await world.send(recorded(world), () => true, never)).toMatchObject({ says: "unknown" });
});
