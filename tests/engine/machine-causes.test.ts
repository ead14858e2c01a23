import { encodeCanonical, type Store } from "@holdfast/core";
import {
  listInputs,
  listOutputs,
  listQuestions,
  showRun,
  showStoppedCell,
  whyOf,
} from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MachineInTest, machine } from "./machine-in-test.ts";
import { openStores } from "./open-stores.ts";
import { HostDies } from "./scripted-world.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 1, limits: { fuelMax: 200 } });
});
afterAll(() => sandbox.close());

const never = { kind: "action_needed", note: "", subject: null } as const;
const all = { after: null, limit: 50 };
const brake = { operation: "shop.book", reason: "too many" };

/** "event 1, published by ada". */
function named(title: string): string {
  return title.split(",")[0] ?? "";
}

function namesOf(inputs: readonly { readonly title: string }[] | undefined): readonly string[] {
  return (inputs ?? []).map(({ title }) => named(title)).sort();
}

async function inputs(it: MachineInTest) {
  const query = { ...all, status: null };
  const page = await listInputs(it.test.store, it.test.workflow, query, it.test.now);
  return page.items
    .map(({ title, status, outputsDone }) => ({ title: named(title), status, outputsDone }))
    .sort((left, right) => (left.title < right.title ? -1 : 1));
}

async function outputs(it: MachineInTest) {
  const query = { ...all, kind: null };
  const { items } = await listOutputs(it.test.store, it.test.workflow, query);
  return items.map((item) => ({
    what: item.kind === "event" ? item.topic : item.operation,
    because: namesOf(item.inputs),
  }));
}

async function why(store: Store, id: string, now: number) {
  const answer = await whyOf(store, "orders", id, now);
  if (answer.kind !== "explained") throw new Error(`${id} is unknown`);
  return answer.why;
}

describe.each(Object.entries(openStores))("what machines made of inputs, on %s", (_, open) => {
  test("[R21] [R22] a call and what is said of it belong to the input they came of", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    await it.say("o1", "book");
    expect(await outputs(it)).toEqual([
      { what: "order.booked", because: ["event 1"] },
      { what: "shop.book", because: ["event 1"] },
    ]);
    expect(await inputs(it)).toEqual([{ title: "event 1", status: "done", outputsDone: 2 }]);
    const { state, text, input } = await whyInput(it);
    expect({ state, text }).toEqual({ state: "done", text: expect.stringContaining("settled") });
    expect(input?.outputIds).toHaveLength(2);
    await it.expectSound();
  });

  test("[R36] a call of a machine has the host's words, and none of a script", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    await it.say("o1", "book");
    const { store, workflow } = it.test;
    const [call] = (await listOutputs(store, workflow, { ...all, kind: "mutation" })).items;
    expect(call).toMatchObject({ title: null, preview: expect.stringContaining("o1") });
  });

  test("[R22] [R59] an input is pending while a call that it led to is held", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    await it.test.command("set_brake", brake);
    await it.say("o1", "book");
    expect(await inputs(it)).toEqual([{ title: "event 1", status: "pending", outputsDone: 0 }]);
    const { state, text, because } = await why(it.test.store, "event 1", it.test.now);
    expect(state).toBe("waiting");
    expect(because.map(({ cause }) => cause.kind)).toEqual(["held_by_intent", "brake_on"]);
    expect(text).toContain("order o1");
    const [question] = (await listQuestions(it.test.store, all)).items;
    expect(namesOf(question?.inputs)).toEqual(["event 1"]);
    const run = await showRun(it.test.store, it.test.workflow, question?.run?.runId ?? "");
    expect(namesOf(run?.inputs)).toEqual(["event 1"]);
    await it.test.command("release_brake", { operation: brake.operation });
    await it.test.live();
    expect(await inputs(it)).toEqual([{ title: "event 1", status: "done", outputsDone: 2 }]);
    await it.expectSound();
  });

  test("[R22] [R59] an input is pending while machines have not taken its event in", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    await it.say("o1", "note");
    await it.test.command("pause_workflow", {});
    await it.say("o1", "book");
    const [first, second] = await inputs(it);
    expect([first?.status, second?.status]).toEqual(["done", "pending"]);
    const { state, because } = await why(it.test.store, "event 2", it.test.now);
    expect(state).toBe("waiting");
    const kinds = because.map(({ cause }) => cause.kind);
    expect(kinds).toEqual(["before_machines", "workflow_paused"]);
    await it.test.command("resume_workflow", {});
    await it.test.live();
    expect((await inputs(it)).map(({ status }) => status)).toEqual(["done", "done"]);
    expect((await why(it.test.store, "event 1", it.test.now)).because[0]?.cause.kind).toBe(
      "machines_took",
    );
  });

  test("[R22] [R59] an input is pending while a stopped cell holds it", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    await it.say("o1", "throw");
    await it.say("o1", "note");
    await it.say("o1", "note");
    await it.say("o2", "note");
    const statuses = async () => (await inputs(it)).map(({ status }) => status);
    expect(await statuses()).toEqual(["pending", "pending", "pending", "done"]);
    const [question] = (await listQuestions(it.test.store, all)).items;
    expect(namesOf(question?.inputs)).toEqual(["event 1", "event 2", "event 3"]);
    expect(question?.waiting).toEqual({ events: 3, isMore: false });
    expect(await showStoppedCell(it.parts, question ?? never)).toMatchObject({
      key: "o1",
      fault: expect.stringContaining("as told"),
      waiting: 3,
      event: { value: { $value: { id: "o1", say: "throw" } } },
    });
    for (const id of ["event 2", "orders", question?.attentionId ?? ""]) {
      const { state, text, because } = await why(it.test.store, id, it.test.now);
      expect(state).toBe("waiting");
      const kinds = because.map(({ cause }) => cause.kind);
      expect(kinds).toEqual(["cell_stopped", "person_asked"]);
      expect(text).toContain(`a cell of ${machine} (o1) has stopped`);
    }
    const restart = { machine, key: encodeCanonical("o1"), poison: "drop" };
    await it.test.command("restart_cell", restart);
    await it.test.live();
    expect(await statuses()).toEqual(["done", "done", "done", "done"]);
    await it.expectSound();
  });

  test("[R21] what a timer leads to after a restart belongs to the first input", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    await it.say("o1", "wait, then book");
    await it.test.command("snapshot_machines", {});
    await it.test.live();
    it.test.now += 60_000;
    await it.test.live();
    expect(await outputs(it)).toEqual([
      { what: "order.booked", because: ["event 1"] },
      { what: "shop.book", because: ["event 1"] },
    ]);
    await it.expectSound();
  });

  test("[R21] [R70] an unknown outcome says of which input its call came", async () => {
    const it = await MachineInTest.begin(sandbox, open, {
      answer: () => {
        throw new HostDies();
      },
      guarantee: () => ({ canReconcile: false }),
    });
    await it.say("o1", "book");
    it.test.now += 600_000;
    await it.test.live();
    const [question] = (await listQuestions(it.test.store, all)).items;
    expect(question).toMatchObject({ kind: "outcome_unknown" });
    expect(namesOf(question?.inputs)).toEqual(["event 1"]);
    expect((await inputs(it))[0]?.status).toBe("pending");
  });
});

async function whyInput(it: MachineInTest) {
  const query = { ...all, status: null };
  const page = await listInputs(it.test.store, it.test.workflow, query, it.test.now);
  return why(it.test.store, page.items[0]?.inputId ?? "", it.test.now);
}
