import { describe, expect, test } from "vitest";
import {
  type CanonicalValue,
  decodeCanonical,
  encodeCanonical,
  hashText,
} from "../canonical/index.ts";
import { byHand, consumer, Scenario, version } from "../testing/scenario.ts";
import { factVersion } from "./fact.ts";
import { isKnownFact } from "./project.ts";
import {
  type ChainPoint,
  genesisHash,
  openRecord,
  type SealedRecord,
  sealRecords,
} from "./record.ts";

const start: ChainPoint = { seq: 0, hash: genesisHash };

function journal(): { records: Scenario["records"]; sealed: SealedRecord[] } {
  const s = new Scenario();
  s.do(version(1, 0, { topics: ["orders"], handlers: [consumer("book", ["orders"])] }));
  s.do(byHand("orders", "o1"));
  return { records: s.records, sealed: sealRecords("orders", start, s.records) };
}

/** The second record of a journal and the point before it. */
function second(): { previous: ChainPoint; stored: SealedRecord } {
  const [previous, stored] = journal().sealed;
  if (!previous || !stored) throw new Error("the journal has two records");
  return { previous, stored };
}

/** Changed by hand, with a hash that fits the changed bytes. */
function forge(
  stored: SealedRecord,
  change: Readonly<Record<string, CanonicalValue>>,
): SealedRecord {
  const value = decodeCanonical(stored.bytes) as Readonly<Record<string, CanonicalValue>>;
  const bytes = encodeCanonical({ ...value, ...change });
  return { ...stored, bytes, hash: hashText(bytes) };
}

function problemOf(stored: SealedRecord, previous: ChainPoint, workflow = "orders") {
  const opened = openRecord(workflow, previous, stored);
  return opened.ok ? null : { problem: opened.problem, note: opened.note };
}

describe("sealing and opening", () => {
  test("every record opens to what was sealed, each naming the hash of the one before", () => {
    const { records, sealed } = journal();
    let previous = start;
    const opened = sealed.map((stored) => {
      const answer = openRecord("orders", previous, stored);
      previous = stored;
      return answer.ok ? answer.record : answer.note;
    });
    expect(opened).toEqual(records);
  });

  test("sealing in parts gives the same chain as sealing at once", () => {
    const { records, sealed } = journal();
    let previous: ChainPoint = start;
    const parts = records.flatMap((record) => {
      const one = sealRecords("orders", previous, [record]);
      previous = one[0] ?? previous;
      return one;
    });
    expect(parts).toEqual(sealed);
  });

  test("sealed records carry the version they were written with", () => {
    expect(journal().sealed.every((record) => record.version === factVersion)).toBe(true);
  });
});

describe("corruption is found and named", () => {
  test("each single byte changed", () => {
    const { previous, stored } = second();
    for (let at = 0; at < stored.bytes.length; at += 1) {
      const bytes = stored.bytes.slice();
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      expect(problemOf({ ...stored, bytes }, previous)).toEqual({
        problem: "corrupt",
        note: "the bytes do not match their hash",
      });
    }
  });

  const cut = (stored: SealedRecord, length: number): SealedRecord => {
    const bytes = stored.bytes.slice(0, length);
    return { ...stored, bytes, hash: hashText(bytes) };
  };
  type Case = readonly [what: string, change: (stored: SealedRecord) => SealedRecord, note: RegExp];
  const cases: readonly Case[] = [
    ["the hash alone changed", (r) => ({ ...r, hash: genesisHash }), /do not match their hash/],
    ["bytes cut short", (r) => cut(r, r.bytes.length - 1), /not canonical/],
    ["bytes gone", (r) => cut(r, 0), /not canonical/],
    ["moved to another place", (r) => ({ ...r, seq: r.seq + 1 }), /expected seq 2/],
    ["another seq inside", (r) => forge(r, { seq: 3 }), /belongs to orders at 3/],
    ["another workflow inside", (r) => forge(r, { workflow: "x" }), /belongs to x at 2/],
    ["another hash before", (r) => forge(r, { prev: genesisHash }), /record before/],
    ["no fact", (r) => forge(r, { fact: null }), /heading/],
    ["a fact without a kind", (r) => forge(r, { fact: {} }), /heading/],
    ["a fact whose kind is no text", (r) => forge(r, { fact: { kind: 1 } }), /heading/],
    ["a time that is no number", (r) => forge(r, { at: "1" }), /heading/],
    ["a version that is no number", (r) => forge(r, { v: "1" }), /heading/],
  ];
  test.each(cases)("%s", (_, change, note) => {
    const { previous, stored } = second();
    expect(problemOf(stored, previous)).toBeNull();
    const problem = problemOf(change(stored), previous);
    expect(problem?.problem).toBe("corrupt");
    expect(problem?.note).toMatch(note);
  });

  test("bytes of something else altogether", () => {
    const { previous, stored } = second();
    const bytes = encodeCanonical([1, 2, 3]);
    const other = { ...stored, bytes, hash: hashText(bytes) };
    expect(problemOf(other, previous)?.note).toMatch(/heading/);
  });

  test("a record left out, repeated or put under another workflow", () => {
    const { previous, stored } = second();
    expect(problemOf(stored, start)?.note).toMatch(/expected seq 1/);
    expect(problemOf(stored, stored)?.note).toMatch(/expected seq 3/);
    expect(problemOf(stored, previous, "other")?.note).toMatch(/belongs to orders/);
  });

  test("a chain rewritten from the middle on does not fit what came before", () => {
    const { records } = journal();
    const rewritten = sealRecords("orders", { seq: 1, hash: genesisHash }, records.slice(1));
    const { previous } = second();
    expect(rewritten[0] && problemOf(rewritten[0], previous)?.note).toMatch(/record before/);
  });
});

describe("records of a newer program", () => {
  test("are told from corrupt ones, whatever else they hold", () => {
    const { previous, stored } = second();
    const newer = forge(stored, { v: factVersion + 1, fact: { kind: "not_known_yet" } });
    expect(problemOf(newer, previous)).toEqual({
      problem: "version",
      note: `fact version ${factVersion + 1}, known ${factVersion}`,
    });
  });

  test("a kind of fact that nobody wrote is not known", () => {
    expect(isKnownFact("event_published")).toBe(true);
    for (const kind of ["not_known_yet", "toString", "__proto__", ""]) {
      expect(isKnownFact(kind)).toBe(false);
    }
  });
});
