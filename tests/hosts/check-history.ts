import { findHolds, type Hold } from "./find-holds.ts";
import type { ToldLine } from "./history.ts";
import type { AnsweredLine, Nanos, OutsideLine } from "./history-line.ts";

export type HistoryReport = {
  readonly problems: readonly string[];
  readonly lineCount: number;
  readonly holdCount: number;
  readonly committedCount: number;
  /** Commits of an owner that was one no longer. */
  readonly refusedCount: number;
  readonly outsideCount: number;
  /**
   * Outside changes made after a successor had claimed, by a host that stood still between its
   * last look at the lease and the write. No host can exclude this; the ledger waits it out
   * (`hostPauseMsMax`), so that it is counted here and judged only by nothing happening twice.
   */
  readonly afterCheckCount: number;
};

type Finder = {
  readonly holds: ReadonlyMap<string, readonly Hold[]>;
  readonly report: (problem: string) => void;
};

/** Says what in a history may not be. Looks at nothing but its arguments. */
export function checkHistory(
  lines: readonly ToldLine[],
  outside: readonly OutsideLine[],
): HistoryReport {
  const problems: string[] = [];
  const holds = findHolds(lines);
  const finder = { holds, report: (problem: string) => problems.push(problem) };
  const answers = lines.filter((line) => line.kind === "answered");
  for (const group of holds.values()) checkHolds(group, finder.report);
  checkCommitted(
    answers.filter(({ answer }) => answer === "committed"),
    finder,
  );
  for (const answer of answers) checkOther(answer, finder);
  checkOnce(outside, finder.report);
  const late = outside.filter((line) => checkOutside(line, finder) === "after check");
  return {
    problems,
    lineCount: lines.length,
    holdCount: [...holds.values()].reduce((sum, group) => sum + group.length, 0),
    committedCount: answers.filter(({ answer }) => answer === "committed").length,
    refusedCount: answers.filter(({ answer }) => answer === "lease_lost").length,
    outsideCount: outside.length,
    afterCheckCount: late.length,
  };
}

function nameOf({ workflow, epoch }: { readonly workflow: string; readonly epoch: number }) {
  return `${workflow}, epoch ${epoch}`;
}

/** At no time do two hosts hold one workflow. */
function checkHolds(group: readonly Hold[], report: Finder["report"]): void {
  let last: Hold | null = null;
  let longest: Hold | null = null;
  for (const hold of group) {
    if (last?.epoch === hold.epoch) report(`${nameOf(hold)}: claimed twice`);
    last = hold;
    if (hold.start >= hold.end) continue;
    if (longest !== null && hold.start < longest.end) {
      const who = `${hold.incarnation} and ${longest.incarnation}`;
      report(`${nameOf(hold)}: ${who} (epoch ${longest.epoch}) hold it at once`);
    }
    if (longest === null || hold.end > longest.end) longest = hold;
  }
}

/** When a later ownership was first known to have begun; null = it never was. */
function overtakenAt(finder: Finder, workflow: string, epoch: number): Nanos | null {
  const later = (finder.holds.get(workflow) ?? []).filter((hold) => hold.epoch > epoch);
  if (later.length === 0) return null;
  return later.reduce((least, { start }) => Math.min(least, start), Number.POSITIVE_INFINITY);
}

function checkCommitted(answers: readonly AnsweredLine[], finder: Finder): void {
  const byWorkflow = Map.groupBy(answers, ({ workflow }) => workflow);
  for (const [workflow, commits] of byWorkflow) {
    const ordered = commits.toSorted((a, b) => a.epoch - b.epoch || a.after - b.after);
    let head = 0;
    for (const { epoch, after, seq } of ordered) {
      const name = `${nameOf({ workflow, epoch })}: the change up to ${seq}`;
      if (after < head) finder.report(`${name} lies below what came before it (${head})`);
      head = Math.max(head, seq);
    }
    for (const commit of commits) checkOwned(commit, finder);
  }
}

function checkOwned({ workflow, epoch, seq, sentAt }: AnsweredLine, finder: Finder): void {
  const name = `${nameOf({ workflow, epoch })}: the change up to ${seq}`;
  const group = finder.holds.get(workflow) ?? [];
  if (!group.some((hold) => hold.epoch === epoch)) finder.report(`${name}: nobody claimed it`);
  const overtaken = overtakenAt(finder, workflow, epoch);
  if (overtaken === null || sentAt < overtaken) return;
  finder.report(`${name} was sent after the next owner had claimed, and yet it landed`);
}

/** A host that was refused while it believed to own means that somebody else owned too. */
function checkOther({ workflow, epoch, answer, at }: AnsweredLine, finder: Finder): void {
  const name = nameOf({ workflow, epoch });
  if (answer === "conflict") finder.report(`${name}: somebody else wrote under this epoch`);
  if (answer === "refused") finder.report(`${name}: the tables refused a change`);
  if (answer !== "lease_lost") return;
  const hold = (finder.holds.get(workflow) ?? []).find((one) => one.epoch === epoch);
  if (hold !== undefined && at < hold.end) {
    finder.report(`${name}: ${hold.incarnation} was refused while it believed to own it`);
  }
}

function checkOnce(outside: readonly OutsideLine[], report: Finder["report"]): void {
  const keys = new Set<string>();
  const events = new Set<string>();
  for (const { workflow, mutationKey, events: names } of outside) {
    if (keys.has(mutationKey)) report(`${workflow}: mutation ${mutationKey} was made twice`);
    keys.add(mutationKey);
    for (const name of names) {
      const event = `${workflow}: event ${name}`;
      if (events.has(event)) report(`${event} is behind two outside changes`);
      events.add(event);
    }
  }
}

function checkOutside(line: OutsideLine, finder: Finder): "in time" | "after check" {
  const { workflow, epoch, mutationKey, checkedAt, at } = line;
  const name = `${nameOf(line)}: mutation ${mutationKey}`;
  const hold = (finder.holds.get(workflow) ?? []).find((one) => one.epoch === epoch);
  if (hold === undefined) finder.report(`${name}: nobody claimed it`);
  else if (checkedAt < hold.start || checkedAt >= hold.end) {
    finder.report(`${name} was made by ${hold.incarnation}, which did not own it then`);
  }
  const overtaken = overtakenAt(finder, workflow, epoch);
  if (overtaken === null || at < overtaken) return "in time";
  if (checkedAt >= overtaken) finder.report(`${name} was made after the next owner had claimed`);
  return "after check";
}
