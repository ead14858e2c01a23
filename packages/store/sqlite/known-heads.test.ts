import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { hashText, insertRow, type Store } from "@holdfast/core";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { Owner } from "../testing/change-builder.ts";
import { topicRow } from "../testing/row-builder.ts";
import { newFolder, openStore, startOfTime } from "./testing/folder.ts";

const workflows = ["a", "b", "c"] as const;

const stepKinds = [
  "good",
  "good",
  "two at once",
  "refused",
  "stale",
  "of no owner",
  "no facts",
  "claim",
  "lose owner",
  "command",
  "load",
] as const;

type Step = {
  readonly kind: (typeof stepKinds)[number];
  readonly workflow: (typeof workflows)[number];
};

const randomStep = fc.record<Step>({
  kind: fc.constantFrom(...stepKinds),
  workflow: fc.constantFrom(...workflows),
});
const randomTurns = fc.array(fc.array(randomStep, { minLength: 1, maxLength: 6 }), {
  minLength: 3,
  maxLength: 12,
});

let made = 0;

/** All of a turn is asked for before any of it is written, so that it is one group. */
function play({ kind, workflow }: Step, owner: Owner, store: Store): readonly Promise<unknown>[] {
  const dueAt = startOfTime;
  made += 1;
  switch (kind) {
    case "good":
      return [store.commit([owner.change({ dueAt, at: startOfTime + made })])];
    case "two at once": {
      const first = owner.change({ dueAt });
      owner.advance(first);
      return [store.commit([first, owner.change({ dueAt })])];
    }
    case "refused": {
      const row = insertRow("topics", topicRow("twice"));
      return [store.commit([owner.change({ rows: [row, row] })])];
    }
    case "stale":
      return [store.commit([owner.change({ onHead: { ...owner.head, seq: owner.head.seq + 5 } })])];
    case "of no owner":
      return [store.commit([owner.change({ epoch: owner.epoch + 7 })])];
    case "no facts":
      return [store.commit([owner.change({ facts: [], dueAt })])];
    case "claim": {
      const incarnation = `host-${made}`;
      const open = store.openHost({ incarnation, leaseMs: 1_000 });
      return [open, store.claim(incarnation, 1), store.closeHost(incarnation)];
    }
    case "lose owner":
      return [store.release("nobody", { workflow, epoch: owner.epoch })];
    case "command": {
      const body = new Uint8Array();
      const command = { commandId: `c-${made}`, workflow, actor: "test", kind: "note", body };
      return [store.appendCommand({ ...command, at: startOfTime })];
    }
    case "load":
      return [store.load(workflow, [])];
  }
}

test("what the store remembers of a head is what the database has, after any group", async () => {
  const folder = newFolder();
  const store = await openStore(folder);
  const db = new DatabaseSync(join(folder, "holdfast.db"), { readOnly: true });
  onTestFinished(() => db.close());
  const read = db.prepare("SELECT head, head_hash, head_at, epoch FROM workflows WHERE id = ?");
  for (const workflow of workflows) await Owner.create(store, workflow);
  let claimed = 0;

  const expectSame = async () => {
    for (const workflow of workflows) {
      const { head, epoch } = await store.load(workflow, [{ kind: "base" }]);
      const { head: seq, head_hash: hash, head_at: at, epoch: real } = read.get(workflow) ?? {};
      expect({ head, epoch }).toEqual({ head: { seq, hash, at }, epoch: real });
      claimed += epoch;
    }
  };
  const property = fc.asyncProperty(randomTurns, async (turns) => {
    for (const turn of turns) {
      const all = await Promise.all(workflows.map((each) => Owner.of(store, each)));
      const owners = new Map(all.map((owner) => [owner.workflow, owner]));
      await Promise.all(
        turn.flatMap((step) => play(step, owners.get(step.workflow) as Owner, store)),
      );
      await expectSame();
    }
  });
  await fc.assert(property, { numRuns: 40 });
  expect(claimed, "owners have changed in between").toBeGreaterThan(0);
});

test("what a group has moved is not remembered where the group failed", async () => {
  const store = await openStore(newFolder(), { pageCountMax: 140 });
  const [one, other] = [await Owner.create(store, "a"), await Owner.create(store, "b")];
  const bytes = new Uint8Array(1_000_000);
  const blobs = [{ hash: hashText(bytes), bytes }];
  const asked = [store.commit([one.change()]), store.commit([other.change({ blobs })])];
  for (const { status } of await Promise.allSettled(asked)) expect(status).toBe("rejected");
  await other.persist();
  expect((await store.load("a", [])).head.seq).toBe(0);
  expect((await store.load("b", [])).head.seq).toBe(1);
});

test("a workflow that is not there is looked for again", async () => {
  const store = await openStore(newFolder());
  await expect(store.load("orders", [])).rejects.toMatchObject({ code: "WORKFLOW_UNKNOWN" });
  await store.createWorkflow("orders");
  expect((await store.load("orders", [])).head.seq).toBe(0);
});
