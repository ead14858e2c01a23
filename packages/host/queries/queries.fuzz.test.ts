import {
  type Cause,
  eventName,
  explain,
  inputStatus,
  type Store,
  type Subject,
  type View,
} from "@holdfast/core";
import { openMemoryStore } from "@holdfast/store/memory";
import fc from "fast-check";
import { expect, test } from "vitest";
import { likelyKind } from "../testing/likely-command.ts";
import { makers } from "../testing/random-command.ts";
import { fixed, fuzzScale, histories, type Step } from "../testing/random-history.ts";
import { Shadow } from "../testing/shadow.ts";
import { WorkflowOwner } from "../workflow-owner.ts";
import type { Page, PageQuery } from "./answers.ts";
import { listAttention } from "./list-attention.ts";
import { listInputs } from "./list-inputs.ts";
import { listOutputs } from "./list-outputs.ts";
import { listRuns } from "./list-runs.ts";
import { listWedges } from "./list-wedges.ts";
import { whyOf } from "./why-of.ts";

const workflow = "orders";

type Played = { readonly store: Store; readonly view: View; readonly now: number };

async function play(store: Store, steps: readonly Step[]): Promise<Played> {
  await store.createWorkflow(workflow);
  const { epoch } = await store.load(workflow, []);
  const owner = new WorkflowOwner(store, { workflow, epoch });
  const shadow = new Shadow(store, workflow);
  let now = 1_000_000;
  for (const step of steps) {
    now += step.advanceMs;
    const kind = likelyKind(shadow.view, step);
    const executed = await owner.execute(
      [makers[kind]({ view: shadow.view, now, choice: step })],
      now,
    );
    expect(executed.kind).not.toBe("lost");
    await shadow.followAndCompare();
  }
  return { store, view: shadow.view, now };
}

/** Who it was is in the journal, so the rows alone leave it out. */
function nameless(cause: Cause): Cause {
  const stops = ["skipped", "workflow_paused", "workflow_archived"];
  return stops.includes(cause.kind) ? ({ ...cause, by: null } as Cause) : cause;
}

function namedSubjects(view: View): (readonly [id: string, subject: Subject])[] {
  return [
    [workflow, { kind: "workflow" }],
    ...[...view.rows("runs")].map(({ runId }) => [runId, { kind: "run", runId }] as const),
    ...[...view.rows("inputs")].map(
      ({ inputId }) => [inputId, { kind: "input", inputId }] as const,
    ),
    ...[...view.rows("events")].map(
      ({ topic, messageId }) =>
        [eventName({ topic, messageId }), { kind: "event", topic, messageId }] as const,
    ),
  ];
}

/** What is asked about one thing is found by its name, however much else there is. */
function unscanned(store: Store): Store {
  return new Proxy(store, {
    get: (target, key) => {
      if (key === "scan") throw new Error("a table would be read from one end to the other");
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

async function expectSameWhy({ store, view, now }: Played): Promise<void> {
  for (const [id, subject] of namedSubjects(view)) {
    const answer = await whyOf(unscanned(store), workflow, id, now);
    if (answer.kind !== "explained") throw new Error(`${id}: ${answer.kind}`);
    const { state, because } = explain(view, subject, now);
    const told = answer.why.because.map(({ cause }) => nameless(cause));
    expect([answer.why.state, told]).toEqual([state, because]);
  }
}

async function allPages<T>(list: (query: PageQuery) => Promise<Page<T>>): Promise<T[]> {
  const items: T[] = [];
  for (let after: string | null = null; ; ) {
    const page: Page<T> = await list({ after, limit: 3 });
    items.push(...page.items);
    if (page.next === null) return items;
    expect(page.items).toHaveLength(3);
    after = page.next;
  }
}

const seqs = (ids: readonly string[]) => ids.map((id) => Number(id.slice(1)));
const descending = (numbers: readonly number[]) => [...numbers].sort((a, b) => b - a);

async function expectWholeLists({ store, view, now }: Played): Promise<void> {
  const runs = await allPages((query) => listRuns(store, workflow, { ...query, status: null }));
  expect(seqs(runs.map(({ runId }) => runId))).toEqual(
    descending(seqs([...view.rows("runs")].map(({ runId }) => runId))),
  );
  const asked = await allPages((query) =>
    listAttention(store, workflow, { ...query, status: "open" }),
  );
  const open = [...view.rows("attentions")].filter(({ closedAt }) => closedAt === null);
  expect(seqs(asked.map(({ attentionId }) => attentionId))).toEqual(
    descending(seqs(open.map(({ attentionId }) => attentionId))),
  );
  for (const status of ["pending", "done", "skipped"] as const) {
    const inputs = await allPages((query) =>
      listInputs(store, workflow, { ...query, status }, now),
    );
    const ids = [...view.rows("inputs")].map(({ inputId }) => inputId);
    const expected = ids.filter((inputId) => inputStatus(view, inputId) === status);
    expect(inputs.map(({ inputId }) => inputId).sort()).toEqual(expected.sort());
    for (const { inputId, outputsDone } of inputs) {
      const { appliedIds, events } = explain(view, { kind: "input", inputId }, now);
      const seen = events.filter(({ because }) => because[0]?.kind === "observed");
      expect(outputsDone).toBe(appliedIds.length + seen.length);
    }
  }
}

function causesOf(view: View, outputId: string): string[] {
  const runId = [...view.rows("mutations")].find((row) => row.mutationId === outputId)?.runId;
  const pins = [...view.rows("reservations")].filter((pin) => pin.runId === runId);
  const events = [...view.rows("events")].filter(
    (event) =>
      eventName(event) === outputId ||
      pins.some(({ topic, messageId }) => event.topic === topic && event.messageId === messageId),
  );
  return [...new Set(events.flatMap(({ causedBy }) => causedBy))].sort();
}

async function expectAllOutputs({ store, view }: Played): Promise<void> {
  const outputs = await allPages((query) => listOutputs(store, workflow, { ...query, kind: null }));
  const applied = [...view.rows("mutations")].filter(({ state }) => state === "applied");
  const seen = [...view.rows("events")].filter(
    ({ status, deliveryCount }) => status === "consumed" && deliveryCount === 0,
  );
  expect(outputs.map(({ outputId }) => outputId).sort()).toEqual(
    [...applied.map(({ mutationId }) => mutationId), ...seen.map(eventName)].sort(),
  );
  for (const { outputId, inputs } of outputs) {
    expect(inputs.map(({ inputId }) => inputId).sort()).toEqual(causesOf(view, outputId));
  }
}

test(
  "[R59] [R22] what is asked of a store says the same as all its rows, and lists leave nothing out",
  async () => {
    const property = fc.asyncProperty(histories, async (steps) => {
      const store = openMemoryStore(fixed);
      const played = await play(store, steps);
      await expectSameWhy(played);
      await expectWholeLists(played);
      await expectAllOutputs(played);
      const wedges = await listWedges(store, workflow, played.now);
      expect(wedges.filter(({ kind }) => kind !== "overdue")).toEqual([]);
      await store.close();
    });
    await fc.assert(property, { numRuns: Math.ceil(60 * fuzzScale) });
  },
  300_000 * Math.max(1, fuzzScale),
);
