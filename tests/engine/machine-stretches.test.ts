/** A journal is run again in stretches, each from a snapshot that is not believed. */
import {
  type CanonicalValue,
  decodeCanonical,
  encodeCanonical,
  type JournalThread,
  type MachineFrameRow,
  type Store,
} from "@holdfast/core";
import { replayMachines } from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MachineInTest, withThread } from "./machine-in-test.ts";
import { openStores } from "./open-stores.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ limits: { fuelMax: 200 } });
});
afterAll(() => sandbox.close());

type Change = (row: MachineFrameRow) => MachineFrameRow;
type Fields = { readonly [name: string]: CanonicalValue };

/** With everything inline, however large it is. */
async function withBytes(store: Store, workflow: string, row: MachineFrameRow) {
  const fill = async <T extends MachineFrameRow["body"]>(value: T): Promise<T> => {
    const inline = value.inline ?? (await store.loadBlob(workflow, value.hash));
    return { ...value, inline };
  };
  const { body, snapshot } = row;
  return { ...row, body: await fill(body), snapshot: snapshot && (await fill(snapshot)) };
}

/** Shows every frame as it was changed. */
function changed(store: Store, change: Change): Store {
  return new Proxy(store, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target);
      if (key !== "listRows") return typeof value === "function" ? value.bind(target) : value;
      return async (query: Parameters<Store["listRows"]>[0]) => {
        const rows = await target.listRows(query);
        if (query.list !== "machineFrames") return rows;
        const frames = rows as readonly MachineFrameRow[];
        const whole = frames.map((row) => withBytes(target, query.workflow, row));
        return (await Promise.all(whole)).map(change);
      };
    },
  });
}

function inside(
  bytes: Uint8Array | null | undefined,
  change: (fields: Fields) => Fields,
): Uint8Array {
  if (bytes == null) throw new Error("nothing is there");
  return encodeCanonical(change(decodeCanonical(bytes) as Fields));
}

async function framesOf({ test }: MachineInTest) {
  const { store, workflow } = test;
  const rows = await test.rows("machine_frames");
  const whole = await Promise.all(rows.map((row) => withBytes(store, workflow, row)));
  return whole.sort((a, b) => a.firstSeq - b.firstSeq);
}

/** Its journal has a snapshot behind every other event; `middle` is where it is cut. */
async function begin() {
  const it = await MachineInTest.begin(sandbox, openStores.memory);
  for (const [at, text] of ["a", "b", "c", "d", "e", "f", "g", "h"].entries()) {
    await it.say("o1", text);
    if (at % 2 === 1) await it.test.ask("snapshot_machines", {});
  }
  const rows = await framesOf(it);
  const taken = rows.filter(({ snapshot }) => snapshot !== null);
  const half = (rows.at(-1)?.lastSeq ?? 0) / 2;
  const away = ({ lastSeq }: MachineFrameRow) => Math.abs(lastSeq - half);
  const [middle] = taken.toSorted((a, b) => away(a) - away(b));
  expect(taken).toHaveLength(4);
  if (middle === undefined) throw new Error("it has snapshots");
  return { it, rows, middle };
}

const replayed = (it: MachineInTest, change: Change) =>
  replayedBothWays({ ...it.parts, store: changed(it.test.store, change) });

/** Beside the isolates and from the host: whatever is found has to be the same. */
async function replayedBothWays(parts: MachineInTest["parts"]) {
  const beside = await replayMachines(parts);
  expect(await replayMachines(withThread(parts, null))).toEqual(beside);
  return beside;
}

function withSnapshot(row: MachineFrameRow, change: (fields: Fields) => Fields): MachineFrameRow {
  const { snapshot } = row;
  if (snapshot === null) return row;
  return { ...row, snapshot: { ...snapshot, inline: inside(snapshot.inline, change) } };
}

/** The last record of the frame is another one. */
function withLast(row: MachineFrameRow, change: (fields: Fields) => Fields): MachineFrameRow {
  const inline = inside(row.body.inline, (body) => {
    const records = body["records"] as readonly Uint8Array[];
    return { ...body, records: [...records.slice(0, -1), inside(records.at(-1), change)] };
  });
  return { ...row, body: { ...row.body, inline } };
}

test("what a stretch begins with has to be what the one before it comes to", async () => {
  const { it, middle } = await begin();
  const other = await replayed(it, (row) =>
    row.firstSeq !== middle.firstSeq
      ? row
      : withSnapshot(row, ({ kernel, ...body }) => ({
          ...body,
          kernel: inside(kernel as Uint8Array, (fields) => ({
            ...fields,
            logical_now_ns: Number(fields["logical_now_ns"]) + 1,
          })),
        })),
  );
  expect(other).toEqual({ ok: false, code: "snapshot.differs", seq: middle.lastSeq });
  expect(await replayedBothWays(it.parts)).toMatchObject({ ok: true });
});

test("a key that signed nothing before a snapshot is no key for what comes after it", async () => {
  const { it, middle } = await begin();
  await it.say("o1", "book");
  const [key] = (await framesOf(it)).flatMap(({ body }) => {
    const { keys } = decodeCanonical(body.inline ?? new Uint8Array()) as Fields;
    return keys as readonly Fields[];
  });
  if (key === undefined) throw new Error("somebody has signed");
  const other = await replayed(it, (row) =>
    row.firstSeq !== middle.firstSeq
      ? row
      : withSnapshot(row, (body) => ({ ...body, keys: [key as CanonicalValue] })),
  );
  expect(other).toEqual({ ok: false, code: "snapshot.differs", seq: middle.lastSeq });
});

/** Frames that end with a step. */
function stepsOf(rows: readonly MachineFrameRow[]): readonly MachineFrameRow[] {
  return rows.filter(({ body }) => {
    const { records } = decodeCanonical(body.inline ?? new Uint8Array()) as Fields;
    const last = (records as readonly Uint8Array[]).at(-1);
    return last !== undefined && (decodeCanonical(last) as Fields)["kind"] === "step";
  });
}

test("the first difference is the finding, wherever others are", async () => {
  const { it, rows, middle } = await begin();
  const steps = stepsOf(rows);
  const before = steps.filter(({ lastSeq }) => lastSeq < middle.lastSeq).at(-1);
  const after = steps.at(-1);
  if (before === undefined || after === undefined) throw new Error("there are steps on both sides");
  const alter = (some: readonly MachineFrameRow[]) => (row: MachineFrameRow) =>
    some.some(({ firstSeq }) => firstSeq === row.firstSeq)
      ? withLast(row, (step) => ({ ...step, done: step["done"] !== true }))
      : row;
  const at = ({ lastSeq }: MachineFrameRow) => ({
    ok: false,
    code: "record.differs",
    seq: lastSeq,
  });
  expect(await replayed(it, alter([after]))).toEqual(at(after));
  expect(await replayed(it, alter([before, after]))).toEqual(at(before));
});

test("a journal that is cut twice is found out in each of its stretches", async () => {
  const it = await MachineInTest.begin(sandbox, openStores.memory);
  for (const [at, text] of ["a", "b", "c", "d", "e", "f", "g", "h"].entries()) {
    await it.say("o1", text);
    if (at === 1 || at === 5) await it.test.ask("snapshot_machines", {});
  }
  const { seen, lose } = losing(0);
  expect(await replayMachines(withThread(it.parts, lose))).toMatchObject({ ok: true });
  expect(seen.begun).toBe(3);
  const rows = await framesOf(it);
  const only = (one: MachineFrameRow, change: Change) => (row: MachineFrameRow) =>
    row.firstSeq === one.firstSeq ? change(row) : row;
  const steps = stepsOf(rows);
  expect(steps).toHaveLength(8);
  for (const step of steps) {
    const other = only(step, (row) => withLast(row, (fields) => ({ ...fields, done: true })));
    const finding = { ok: false, code: "record.differs", seq: step.lastSeq };
    expect(await replayed(it, other)).toEqual(finding);
  }
  const later = (fields: Fields): Fields => {
    return { ...fields, logical_now_ns: Number(fields["logical_now_ns"]) + 1 };
  };
  for (const taken of rows.filter(({ snapshot }) => snapshot !== null)) {
    const other = only(taken, (row) =>
      withSnapshot(row, ({ kernel, ...body }) => {
        return { ...body, kernel: inside(kernel as Uint8Array, later) };
      }),
    );
    const finding = { ok: false, code: "snapshot.differs", seq: taken.lastSeq };
    expect(await replayed(it, other)).toEqual(finding);
  }
});

/** What it has of its thread is gone with this ask; counted over all threads. */
function losing(at: number) {
  const seen = { asked: 0, begun: 0, ended: 0 };
  const lose = (thread: JournalThread): JournalThread => {
    seen.begun++;
    return {
      learn: (machines) => thread.learn(machines),
      ask: async (ask, keys) => (++seen.asked === at ? null : thread.ask(ask, keys)),
      rest: () => thread.rest(),
      end: () => {
        seen.ended++;
        thread.end();
      },
    };
  };
  return { seen, lose };
}

test("a replay that lost its thread anywhere comes to the same from the host", async () => {
  const { it } = await begin();
  await it.say("o1", "book");
  const whole = await replayMachines(it.parts);
  expect(whole).toMatchObject({ ok: true });
  const none = losing(0);
  expect(await replayMachines(withThread(it.parts, none.lose))).toEqual(whole);
  expect(none.seen.asked).toBeGreaterThan(8);
  for (let at = 1; at <= none.seen.asked; at++) {
    const { seen, lose } = losing(at);
    expect(await replayMachines(withThread(it.parts, lose))).toEqual(whole);
    expect(seen.asked).toBeGreaterThanOrEqual(at);
    expect(seen.ended).toBe(seen.begun);
  }
});
