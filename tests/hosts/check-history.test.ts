import { describe, expect, test } from "vitest";
import { checkHistory } from "./check-history.ts";
import type { ToldLine } from "./history.ts";
import type { AnsweredLine, OutsideLine } from "./history-line.ts";

// Hand-made histories of one workflow: ann owns it from 10 on, bob after her.

const workflow = "w1";

function claimed(host: string, epoch: number, at: number): ToldLine {
  return { kind: "claimed", host, incarnation: host, workflow, epoch, at };
}

function believes(host: string, until: number): ToldLine {
  return { kind: "believes", host, incarnation: host, until, at: 0 };
}

function releasing(host: string, at: number): ToldLine {
  return { kind: "releasing", host, incarnation: host, workflow, at };
}

function lost(host: string, at: number): ToldLine {
  return { kind: "lost", host, incarnation: host, reason: "lease_ran_out", at };
}

function answered(
  epoch: number,
  change: Pick<AnsweredLine, "after" | "seq" | "sentAt"> & Partial<AnsweredLine>,
): ToldLine {
  const { sentAt } = change;
  const told = { kind: "answered", host: "x", workflow, epoch, hash: "h" } as const;
  return { ...told, answer: "committed", at: sentAt + 1, ...change };
}

function made(epoch: number, checkedAt: number, more: Partial<OutsideLine> = {}): OutsideLine {
  const mutationKey = `m${checkedAt}`;
  const events = [`orders/${checkedAt}`];
  return { mutationKey, workflow, epoch, events, checkedAt, at: checkedAt + 1, ...more };
}

function problemsOf(lines: readonly ToldLine[], outside: readonly OutsideLine[] = []) {
  return checkHistory(lines, outside).problems;
}

const annThenBob = [
  ...[believes("ann", 100), claimed("ann", 1, 10)],
  ...[believes("bob", 300), claimed("bob", 2, 120)],
];

describe("finds nothing wrong with a history in which", () => {
  test.each<readonly [string, readonly ToldLine[], readonly OutsideLine[]]>([
    ["a lease ends before the next claim", annThenBob, []],
    [
      "a workflow is released before the next claim",
      [
        ...[believes("ann", 500), claimed("ann", 1, 10), releasing("ann", 50)],
        ...[believes("bob", 300), claimed("bob", 2, 60)],
      ],
      [],
    ],
    [
      "a whole host is closed before the next claim",
      [
        ...[believes("ann", 500), claimed("ann", 1, 10)],
        { kind: "releasing", host: "ann", incarnation: "ann", workflow: null, at: 50 },
        ...[believes("bob", 300), claimed("bob", 2, 60)],
      ],
      [],
    ],
    [
      "a host notices early that it is lost",
      [
        ...[believes("ann", 500), claimed("ann", 1, 10), lost("ann", 50)],
        ...[believes("bob", 300), claimed("bob", 2, 60)],
      ],
      [],
    ],
    [
      "the answer to a claim comes when the lease has ended, and another has the workflow",
      [believes("ann", 100), believes("bob", 300), claimed("bob", 2, 120), claimed("ann", 1, 200)],
      [],
    ],
    [
      "a host has one workflow twice, one after the other",
      [
        ...[believes("ann", 500), claimed("ann", 1, 10), releasing("ann", 50)],
        ...[claimed("ann", 2, 60), releasing("ann", 90)],
        ...[believes("bob", 300), claimed("bob", 3, 95)],
      ],
      [],
    ],
    [
      "changes follow each other and the late one is refused",
      [
        ...annThenBob,
        answered(1, { after: 0, seq: 2, sentAt: 20 }),
        answered(2, { after: 2, seq: 5, sentAt: 130 }),
        answered(1, { after: 2, seq: 4, sentAt: 140, answer: "lease_lost" }),
      ],
      [],
    ],
    [
      "a commit was sent in time and its answer came after the next claim",
      [...annThenBob, answered(1, { after: 0, seq: 2, sentAt: 90, at: 200 })],
      [],
    ],
    ["outside changes are made by their owners", annThenBob, [made(1, 20), made(2, 130)]],
  ])("%s", (_, lines, outside) => {
    expect(problemsOf(lines, outside)).toEqual([]);
  });
});

describe("says what is wrong with a history in which", () => {
  const late = { checkedAt: 99, at: 200 };
  test.each<readonly [string, RegExp, readonly ToldLine[], readonly OutsideLine[]]>([
    [
      "a host believes in its lease after the next claim",
      /^w1, epoch 2: bob and ann \(epoch 1\) hold it at once$/,
      [...annThenBob, believes("ann", 121)],
      [],
    ],
    [
      "a host lets go only after the next claim",
      /hold it at once/,
      [
        ...[believes("ann", 500), claimed("ann", 1, 10)],
        ...[believes("bob", 300), claimed("bob", 2, 60), releasing("ann", 61)],
      ],
      [],
    ],
    [
      "somebody two owners ago still believes",
      /bob and ann|cleo and ann/,
      [
        ...[believes("ann", 500), claimed("ann", 1, 10)],
        ...[believes("bob", 20), claimed("bob", 2, 30)],
        ...[believes("cleo", 300), claimed("cleo", 3, 60)],
      ],
      [],
    ],
    [
      "one epoch is given out twice",
      /epoch 1: claimed twice/,
      [...annThenBob, claimed("cleo", 1, 400)],
      [],
    ],
    [
      "an old owner's change lands on top of the new one's",
      /epoch 2: the change up to 2 lies below/,
      [
        ...annThenBob,
        answered(2, { after: 0, seq: 2, sentAt: 130 }),
        answered(1, { after: 2, seq: 4, sentAt: 90 }),
      ],
      [],
    ],
    [
      "an old owner's change lands although it was sent late",
      /the change up to 2 was sent after the next owner had claimed/,
      [...annThenBob, answered(1, { after: 0, seq: 2, sentAt: 121 })],
      [],
    ],
    [
      "one place in a journal is acknowledged twice",
      /the change up to 3 lies below/,
      [
        ...annThenBob,
        answered(1, { after: 0, seq: 2, sentAt: 20 }),
        answered(1, { after: 1, seq: 3, sentAt: 30 }),
      ],
      [],
    ],
    [
      "a change lands under an epoch that nobody claimed",
      /epoch 7: the change up to 2: nobody claimed it/,
      [...annThenBob, answered(7, { after: 0, seq: 2, sentAt: 20 })],
      [],
    ],
    [
      "a host is refused while it believes to own",
      /epoch 1: ann was refused while it believed to own it/,
      [...annThenBob, answered(1, { after: 0, seq: 2, sentAt: 20, answer: "lease_lost" })],
      [],
    ],
    [
      "a host meets a head that it did not write",
      /epoch 1: somebody else wrote under this epoch/,
      [...annThenBob, answered(1, { after: 0, seq: 2, sentAt: 20, answer: "conflict" })],
      [],
    ],
    [
      "an outside change is made after the lease",
      /did not own it then/,
      annThenBob,
      [made(1, 100)],
    ],
    [
      "an outside change is made after the next claim",
      /was made after the next owner had claimed/,
      annThenBob,
      [made(1, 130)],
    ],
    ["an outside change has no owner", /nobody claimed it/, annThenBob, [made(9, 50)]],
    [
      "one mutation is made twice",
      /mutation m20 was made twice/,
      annThenBob,
      [made(1, 20), made(2, 130, { mutationKey: "m20" })],
    ],
    [
      "one event is behind two outside changes, even if one of them was past its last check",
      /event orders\/99 is behind two outside changes/,
      annThenBob,
      [made(1, 99, late), made(2, 130, { events: ["orders/99"] })],
    ],
  ])("%s", (_, problem, lines, outside) => {
    const problems = problemsOf(lines, outside);
    expect(problems.some((one) => problem.test(one))).toBe(true);
  });
});

test("an outside change that was past its last check is counted and not judged", () => {
  const report = checkHistory(annThenBob, [made(1, 99, { at: 200 })]);
  expect(report).toMatchObject({ problems: [], afterCheckCount: 1, outsideCount: 1 });
});
