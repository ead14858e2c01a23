import { describe, expect, test } from "vitest";
import { hashText } from "../canonical/index.ts";
import type { TableRow } from "../ports/store.ts";
import { byHand, consumer, dump, Scenario, version } from "../testing/scenario.ts";
import { tableNames } from "../view/tables.ts";
import { View } from "../view/view.ts";
import { checkpointTable, openChunk } from "./checkpoint.ts";

function shop(): Scenario {
  const s = new Scenario();
  s.do(version(1, 0, { topics: ["orders"], handlers: [consumer("book", ["orders"])] }));
  for (const id of ["o1", "o2", "o3"]) s.do(byHand("orders", id));
  s.send(s.prepared("book", [["orders", "o1"]]));
  return s;
}

describe("a checkpoint of a table", () => {
  test("is the same whatever order the rows come in", () => {
    const rows = [...shop().view.rows("events")];
    expect(checkpointTable("events", rows)).toEqual(checkpointTable("events", rows.toReversed()));
  });

  test("differs when one value of one row differs, or a row is missing", () => {
    const rows = [...shop().view.rows("events")];
    const { hash } = checkpointTable("events", rows).checkpoint;
    const changed = rows.map((row, at) => (at === 1 ? { ...row, lateCount: 1 } : row));
    expect(checkpointTable("events", changed).checkpoint.hash).not.toBe(hash);
    expect(checkpointTable("events", rows.slice(1)).checkpoint.hash).not.toBe(hash);
  });

  test("names its chunks by the hash of their bytes, a thousand rows each", () => {
    const [row] = [...shop().view.rows("events")];
    if (!row) throw new Error("the shop has events");
    const rows = Array.from({ length: 1_001 }, (_, at) => ({ ...row, messageId: `m${at}` }));
    const { checkpoint, blobs } = checkpointTable("events", rows);
    expect(checkpoint).toMatchObject({ rowCount: 1_001, chunks: blobs.map((blob) => blob.hash) });
    expect(blobs.map((blob) => openChunk("events", blob.bytes).length)).toEqual([1_000, 1]);
    expect(blobs.every((blob) => hashText(blob.bytes) === blob.hash)).toBe(true);
  });

  test("of an empty table has no chunk", () => {
    const { checkpoint, blobs } = checkpointTable("brakes", []);
    expect(checkpoint).toMatchObject({ rowCount: 0, chunks: [] });
    expect(blobs).toEqual([]);
  });
});

test("a workflow restored from its checkpoint is the workflow, and goes on alike", () => {
  const s = shop();
  const rows = tableNames.flatMap((table) =>
    checkpointTable(table, s.view.rows(table)).blobs.flatMap((blob) =>
      openChunk(table, blob.bytes).map((row) => ({ table, row }) as TableRow),
    ),
  );
  const restored = View.restored("orders", s.view.head, rows);
  expect(dump(restored)).toEqual(dump(s.view));
  expect(restored.complete).toBe(true);
});

test("taking a checkpoint is one fact that remembers its place, with its chunks as blobs", () => {
  const s = shop();
  const { checkpoint, blobs } = checkpointTable("events", s.view.rows("events"));
  const decision = s.do({ kind: "take_checkpoint", tables: [checkpoint], chunks: blobs });
  expect(decision.blobs).toEqual(blobs);
  expect(decision.records).toMatchObject([{ fact: { kind: "checkpoint_taken" } }]);
  expect(s.view.load("workflows").checkpointSeq).toBe(decision.records[0]?.seq);
});
