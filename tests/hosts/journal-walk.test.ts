import type { JournalEntry } from "@holdfast/core";
import { expect, test } from "vitest";
import { JournalWalk } from "./journal-walk.ts";

const workflow = "w1";

/** A journal whose records have these hashes. */
function journalOf(hashes: readonly string[]) {
  const readJournal = async (_: string, after: number, limit: number) =>
    hashes.slice(after, after + limit).map((hash, index) => {
      return { seq: after + index + 1, hash, bytes: new Uint8Array() } as unknown as JournalEntry;
    });
  return { readJournal };
}

function walkAfter(
  asked: readonly { readonly after: number; readonly hashes: readonly string[] }[],
  acknowledged: readonly { readonly seq: number; readonly hash: string }[] = [],
): JournalWalk {
  const walk = new JournalWalk(workflow);
  const told = { host: "ann", workflow, epoch: 1, at: 0 };
  for (const change of asked) walk.add({ ...told, kind: "asked", ...change });
  for (const { seq, hash } of acknowledged) {
    const answer = { answer: "committed", after: 0, sentAt: 0, seq, hash } as const;
    walk.add({ ...told, kind: "answered", ...answer });
  }
  return walk;
}

const both = [
  { after: 0, hashes: ["a", "b"] },
  { after: 2, hashes: ["c"] },
];

test("a journal of whole changes that were asked for is as it should be", async () => {
  const walk = walkAfter(both, [{ seq: 2, hash: "b" }]);
  expect(await walk.check(journalOf(["a", "b", "c"]), true)).toEqual([]);
  expect(walk.recordCount).toBe(3);
});

test("a change that was asked for twice on one head is there as the one that landed", async () => {
  const walk = walkAfter([{ after: 0, hashes: ["x"] }, ...both]);
  expect(await walk.check(journalOf(["a", "b", "c"]), true)).toEqual([]);
});

test("an acknowledged change that is not there, or is another, is named", async () => {
  const missing = walkAfter(both, [{ seq: 3, hash: "c" }]);
  const other = walkAfter(both, [{ seq: 2, hash: "x" }]);
  expect(await missing.check(journalOf(["a", "b"]), false)).toEqual([
    "w1: the acknowledged change up to 3 is not there",
  ]);
  expect(await other.check(journalOf(["a", "b", "c"]), false)).toEqual([
    "w1: the acknowledged change up to 2 is not there",
  ]);
});

test.each([
  ["nobody asked for", ["a", "b", "c", "d"], 3],
  ["is there by halves", ["a"], 0],
])("a change that %s is named when no host lives", async (_, hashes, after) => {
  const walk = walkAfter(both);
  expect(await walk.check(journalOf(hashes), false)).toEqual([]);
  expect(await walk.check(journalOf(hashes), true)).toEqual([
    `w1: what follows ${after} is no whole change that was asked for`,
  ]);
});
