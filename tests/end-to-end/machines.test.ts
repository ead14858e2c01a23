import { describe, expect, test } from "vitest";
import { verifyFull } from "./host-process.ts";
import { MachineHost } from "./machine-host.ts";
import { places } from "./stores.ts";

/** Killed while the shop holds the answer back: it is found out, and nothing is booked twice. */
async function diesWithAnOpenIntent(world: MachineHost): Promise<void> {
  world.shop.mood = "delays";
  await world.publish("o-2", 5);
  await world.soon(() => world.shop.applied.some(({ id }) => id === "o-2"));
  await world.crash();
  await world.soon(async () => (await world.phase("o-2")) === "Booked");
  expect([...world.shop.counts]).toEqual([
    ["o-1", 1],
    ["o-2", 1],
  ]);
}

type Asked = { readonly attentionId: string; readonly note: string; readonly answers: object };

/** A cell that stopped is a question, which goes away when it goes on. */
async function answersTheQuestion({ host, soon }: MachineHost, answer: string): Promise<void> {
  const path = "/workflows/orders/attention";
  const open = () => host.api<{ items: readonly Asked[] }>("GET", `${path}?status=open`);
  const [question] = (await open()).items;
  expect(question).toMatchObject({ answers: ["redeliver", "drop"] });
  expect(question?.note).toMatch(/^cell: \S*order\S* bad stopped: /);
  const id = question?.attentionId ?? "";
  const shown = await host.api<object>("GET", `${path}/${id}`);
  const event = { value: expect.anything(), at: expect.any(Number), intentId: null };
  const fault = expect.stringMatching(/^\S+: /);
  expect(shown).toMatchObject({ cell: { key: "bad", waiting: 1, fault, event } });
  const typed = await host.holdfast("attention", "show", "orders", id);
  expect(typed.out).toMatch(/it stopped on +\S*bad/);
  expect(typed.out).toMatch(/in its mailbox +1, with what it stopped on/);
  for (const subject of ["orders", id]) {
    const { code, out } = await host.holdfast("why", "orders", subject);
    expect([code, out]).toEqual([0, expect.stringContaining(`goes on when ${id} is answered`)]);
  }
  await host.api("POST", `${path}/${id}`, { answer });
  await soon(async () => (await open()).items.every(({ attentionId }) => attentionId !== id));
}

/** What a person can do: look, restart with the event or without it, take a wish back. */
async function peopleHelp(world: MachineHost): Promise<void> {
  const { host } = world;
  await world.send("bad", 0);
  await world.soon(async () => (await world.cells()).includes("failed"));
  await answersTheQuestion(world, "redeliver");
  await world.soon(async () => (await world.cells()).includes("failed"));
  const restart = ["machine", "restart", "orders", "order", "--cell", '"bad"'];
  expect(await host.holdfast(...restart, "--drop")).toMatchObject({ code: 0 });
  await world.send("slow", 1);
  await world.soon(async () => (await world.intents()).items.length === 1);
  const typed = await Promise.all([
    host.holdfast("machine", "intents", "orders"),
    host.holdfast("machine", "state", "orders", "order", "--cell", '"o-1"'),
    host.holdfast("machine", "instances", "orders"),
    host.holdfast("machine", "cells", "orders"),
    host.holdfast("machine", "journal", "orders"),
    host.holdfast("machine", "timeline", "orders", "order", "--cell", '"o-1"', "--limit", "4"),
    host.holdfast("machine", "ls", "orders"),
    host.holdfast("machine", "cells", "orders", "--limit", "1"),
    host.holdfast("machine", "cells", "orders", "--status", "waiting", "--text", "SLO"),
  ]);
  const shown = [
    "sys/timer.set@1",
    "Booked",
    "completed",
    "waiting",
    "effect_intent",
    '  receipt  ok  {"json":',
    "orders/order@1",
    "More: --after orders/order@1~",
    "slow",
  ];
  for (const [at, words] of shown.entries()) expect(typed[at]?.out).toContain(words);
  const [intent] = (await world.intents()).items;
  await traces(world, String(intent?.since));
  await host.holdfast("machine", "cancel", "orders", intent?.intentId ?? "");
  await world.soon(async () => (await world.phase("slow")) === "Failed");
}

/** What came of an event that led to a timer, as it is typed. */
async function traces({ host }: MachineHost, event: string): Promise<void> {
  const all = ["orders", "--event", event];
  const [trace, diagnosis, summary, json] = await Promise.all([
    host.holdfast("machine", "trace", ...all),
    host.holdfast("machine", "diagnose", ...all),
    host.holdfast("machine", "summary", "orders"),
    host.holdfast("machine", "trace", ...all, "--window", "1", "--json"),
  ]);
  const open = "Open: 1 intents, 0 waiting in mailboxes (0 queued), 0 outcomes pending";
  const machines = "Machines: under way are 1 instances, 1 timers";
  for (const { out } of [trace, diagnosis]) {
    expect(out).toContain("waiting_receipt: 1 effects without a receipt");
    expect(out).toContain(open);
    expect(out).toContain(machines);
  }
  expect(trace.out).toMatch(
    /^orders\/order@1 "slow" {2}waits for sys\/timer\.set@1, asked for \d+ records ago/m,
  );
  expect(summary.out).toMatch(/^journal: from 1 to \d+, /m);
  expect(summary.out).toMatch(/^route: sys\/timer\.set@1 to \S+ timer\.set, \d+ intents, 1 open$/m);
  expect(summary.out).toContain(machines);
  expect(JSON.parse(json.out)).toMatchObject({
    items: [{ kind: "effect_intent" }],
    waits: { intents: [{ age: expect.any(Number) }], quiescence: { isStrict: false, timers: 1 } },
  });
}

/** A state as it is, as it was, and not before a record is there. */
async function readsStates({ host }: MachineHost): Promise<void> {
  const read = (id: string, ...words: readonly string[]) => {
    const cell = ["orders", "order", "--cell", `"${id}"`];
    return host.holdfast("machine", "state", ...cell, "--json", ...words);
  };
  const now = await read("o-1");
  const { height } = JSON.parse(now.out) as { readonly height: number };
  expect(JSON.parse(now.out)).toMatchObject({
    manifestHash: expect.stringMatching(/^sha256:/),
    snapshot: { ref: expect.stringMatching(/^sha256:/), height: expect.any(Number) },
  });
  expect(await read("o-1", "--at", `${height}`)).toEqual(now);
  expect(await read("o-1", "--at-least", `${height}`)).toEqual(now);
  const past = await read("o-1", "--at", "1");
  expect(past.code).not.toBe(0);
  expect(past.out).toContain("has no cell");
  expect((await read("nobody", "--at-least", `${height}`)).out).toContain("has no cell");
  // One that is not there yet may be there by then.
  for (const id of ["o-1", "nobody"]) {
    for (const when of ["--at", "--at-least"]) {
      const early = await read(id, when, `${height + 1_000}`);
      expect(early.out).toContain(`ends with record ${height}`);
    }
  }
}

/** A brake that holds a machine's call is a question, which a person can answer. */
async function aBrakeAsks(world: MachineHost): Promise<void> {
  const { host } = world;
  await host.holdfast("brake", "on", "orders", "shop.post", "--reason", "stocktaking");
  await world.publish("held", 5);
  type Questions = { readonly items: readonly { attentionId: string; heldBy: object | null }[] };
  const questions = async () => (await host.api<Questions>("GET", "/attention")).items;
  await world.soon(async () => (await questions()).length === 1);
  const [question] = await questions();
  expect(question?.heldBy).toMatchObject({ operation: "shop.post", reason: "stocktaking" });
  const id = question?.attentionId ?? "";
  expect((await host.holdfast("attention", "show", "orders", id)).out).toContain("stocktaking");
  expect(await host.holdfast("answer", "orders", id, "stop")).toMatchObject({ code: 3 });
  expect(await host.holdfast("answer", "orders", id, "cancel")).toMatchObject({ code: 0 });
  await world.soon(async () => (await world.phase("held")) === "Failed");
  expect(await questions()).toEqual([]);
  await host.holdfast("brake", "off", "orders", "shop.post");
}

async function refusesWhatDoesNotFit(world: MachineHost): Promise<void> {
  const send = (machine: string, event: object) => {
    const body = { machine, key: "x", event };
    return world.host.api("POST", "/workflows/orders/commands", { kind: "send_to_machine", body });
  };
  const fraction = send("order", { Placed: { id: "x", sum: 0.5 } });
  await expect(fraction).rejects.toThrow("event.invalid");
  await expect(send("order", { Receipt: {} })).rejects.toThrow("event.");
  await expect(send("nobody", {})).rejects.toThrow("no machine nobody");
}

/** Taken now, with what is open; the journal shows it where it was taken. */
async function takesASnapshot(world: MachineHost): Promise<void> {
  const { code, out } = await world.host.holdfast("machine", "snapshot", "orders", "--json");
  expect(code).toBe(0);
  const { snapshot } = JSON.parse(out) as { snapshot: { ref: string; height: number } };
  const journal = await world.host.holdfast("machine", "journal", "orders", "--limit", "500");
  const shown = `${snapshot.height} {"kind":"snapshot","snapshot_ref":"${snapshot.ref}"`;
  expect(journal.out).toContain(shown);
}

/** What older snapshots had is counted, then deleted; nobody misses it. */
async function collects(world: MachineHost): Promise<void> {
  const gc = async (...more: readonly string[]) => {
    const { code, out } = await world.host.holdfast("machine", "gc", "orders", "--json", ...more);
    expect(code).toBe(0);
    return JSON.parse(out) as { unreachable: number; swept: number };
  };
  const counted = await gc("--dry-run");
  expect(counted).toMatchObject({ snapshots: 1, swept: 0 });
  expect(counted.unreachable).toBeGreaterThan(0);
  expect((await gc()).swept).toBeGreaterThan(0);
  expect(await world.phase("o-1")).toBe("Booked");
}

describe.each(Object.entries(places))(
  "machines through the shipped program, on %s",
  (_, newStore) => {
    test("[M.P-5, M.P-8, M.K7.7-4, M.K7.7-5, M.K7.8-3, M.K7.8-4, M.K7.8-6] booked", async () => {
      const world = await MachineHost.open(await newStore());
      expect(await world.send("o-1", 5)).toMatchObject({ code: 0 });
      await world.soon(async () => (await world.phase("o-1")) === "Booked");
      await diesWithAnOpenIntent(world);
      world.shop.mood = "refuses";
      await world.publish("o-3", 5);
      await world.soon(async () => (await world.phase("o-3")) === "Failed");
      world.shop.mood = "answers";
      await peopleHelp(world);
      await aBrakeAsks(world);
      await refusesWhatDoesNotFit(world);
      await readsStates(world);
      await takesASnapshot(world);
      const before = await world.replay();
      await collects(world);
      expect(await world.replay()).toEqual(before);
      await world.crash();
      expect(await world.replay()).toEqual(before);
      expect([...world.shop.counts]).toEqual([
        ["o-1", 1],
        ["o-2", 1],
      ]);
      await world.host.stop();
      expect(await verifyFull(world.store)).toMatchObject({ code: 0 });
    });
  },
);
