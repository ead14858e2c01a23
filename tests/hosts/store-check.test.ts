import type { Store } from "@holdfast/core";
import { WorkflowOwner } from "@holdfast/host";
import { openMemoryStore } from "@holdfast/store/memory";
import { expect, test } from "vitest";
import type { ToldLine } from "./history.ts";
import type { OutsideLine } from "./history-line.ts";
import {
  deploying,
  finishPrepare,
  ordersTopic,
  publishing,
  recordMutation,
  settleApplied,
  startRun,
  verdict,
} from "./load-commands.ts";
import { StoreCheck } from "./store-check.ts";

const workflow = "w1";
const told = { host: "ann", workflow } as const;

type Scene = {
  readonly store: Store;
  readonly lines: readonly ToldLine[];
  readonly outside: readonly OutsideLine[];
};

/** One workflow that has made one outside change, and what its host told of it. */
async function smallScene(): Promise<Scene> {
  const store = openMemoryStore({ clock: () => 0, newIncarnation: () => "store-1" });
  await store.createWorkflow(workflow);
  await store.openHost({ incarnation: "ann", leaseMs: 1_000 });
  const commands = [deploying(workflow), publishing(workflow, "order-1")];
  for (const command of commands) await store.appendCommand(command);
  const [claim] = (await store.claim("ann", 1)).claims;
  if (claim === undefined) throw new Error("nothing to claim");
  const mutationKey = await deliver(store, new WorkflowOwner(store, claim));
  const records = await store.readJournal(workflow, 0, 100);
  const hashes = records.map(({ hash }) => hash);
  const given = commands.flatMap(({ commandId }): ToldLine[] => [
    { ...told, kind: "appending", commandId },
    { ...told, kind: "appended", commandId },
  ]);
  return {
    store,
    lines: [...given, { ...told, kind: "asked", epoch: claim.epoch, after: 0, hashes, at: 0 }],
    outside: [{ mutationKey, workflow, epoch: 1, events: [], checkedAt: 0, at: 0 }],
  };
}

async function deliver(store: Store, owner: WorkflowOwner): Promise<string> {
  await owner.execute([{ kind: "create_workflow", name: workflow }], 1);
  await owner.foldInbox(1, 10);
  const view = await owner.loadView();
  const { events } = await store.peek(workflow, ordersTopic, 1);
  const [runId, mutationId] = [`r${view.head.seq + 1}`, `m${view.head.seq + 4}`];
  const sending = { incarnation: "ann", epoch: 1, sendBy: 10, timeoutMs: 10, verdict };
  const delivery = [
    startRun(view, "deliver"),
    finishPrepare(runId, events),
    recordMutation(runId, workflow),
    { kind: "send_mutation", mutationId, ...sending } as const,
    settleApplied(mutationId),
  ];
  expect(await owner.execute(delivery, 2)).toMatchObject({ kind: "done" });
  return (await owner.loadView()).load("mutations", mutationId).mutationKey;
}

function check({ store, lines, outside }: Scene): Promise<string[]> {
  return new StoreCheck().checkQuiet(store, lines, outside);
}

test("a store that is as its hosts told is as it should be", async () => {
  expect(await check(await smallScene())).toEqual([]);
});

test("a command that was acknowledged and is gone is named", async () => {
  const scene = await smallScene();
  const gone: ToldLine = { ...told, kind: "appended", commandId: "order-2" };
  expect(await check({ ...scene, lines: [...scene.lines, gone] })).toEqual([
    "w1: command order-2 was acknowledged and is gone",
  ]);
});

test("a command that nobody gave is named", async () => {
  const scene = await smallScene();
  const lines = scene.lines.filter((line) => !("commandId" in line) || line.commandId === "deploy");
  expect(await check({ ...scene, lines })).toEqual([
    "w1: command order-1 is there, but nobody gave it",
  ]);
});

test("an outside change that the ledger knows nothing of is named", async () => {
  const scene = await smallScene();
  const stray = { mutationKey: "m1", workflow, epoch: 1, events: [], checkedAt: 0, at: 0 };
  expect(await check({ ...scene, outside: [...scene.outside, stray] })).toEqual([
    "mutation m1 was made, but no ledger row says so",
  ]);
});

test("a mutation that is said to be applied and never happened is named", async () => {
  const [problem] = await check({ ...(await smallScene()), outside: [] });
  expect(problem).toMatch(/^w1: mutation \S+ is applied, but never happened$/);
});
