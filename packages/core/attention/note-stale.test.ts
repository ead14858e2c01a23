import { describe, expect, test } from "vitest";
import { actorOfHost } from "../inbox/parse-command.ts";
import { byHand, consumer, emptyCommit, Scenario, version } from "../testing/scenario.ts";
import { inputIdOf } from "../topic/input-id.ts";
import type { AttentionRow } from "../view/rows.ts";
import { isAboutStale, type NoteStale } from "./note-stale.ts";

const dayMs = 86_400_000;
const actor = "ada";

function inputOf(messageId: string): string {
  return inputIdOf({ source: "system", type: "manual", externalId: `orders/${messageId}` });
}

function note(messageId: string, more: Partial<NoteStale> = {}): NoteStale {
  return { kind: "note_stale", inputId: inputOf(messageId), count: 1, isMore: false, ...more };
}

/** o1 is eight days old, o2 one hour. */
function waiting(policy: { readonly staleInputMs?: number } = {}): Scenario {
  const s = new Scenario(policy);
  s.do(version(1, 0, { topics: ["orders"], handlers: [consumer("book", ["orders"])] }));
  s.do(byHand("orders", "o1", { title: "Order 1" }));
  s.now += 8 * dayMs - 3_600_000;
  s.do(byHand("orders", "o2"));
  s.now += 3_600_000;
  return s;
}

function asked(): Scenario {
  const s = waiting();
  s.do(note("o1"));
  return s;
}

function stale(s: Scenario): readonly AttentionRow[] {
  return [...s.view.rows("attentions")].filter(isAboutStale);
}

function acknowledged(): Scenario {
  const s = asked();
  s.do({ kind: "acknowledge", attentionId: stale(s)[0]?.attentionId ?? "", actor });
  return s;
}

function book(s: Scenario): Scenario {
  s.do(emptyCommit(s.mutated("book", [["orders", "o1"]])));
  return s;
}

function withWorkflow(s: Scenario, kind: "pause_workflow" | "archive_workflow"): Scenario {
  s.do({ kind, actor });
  return s;
}

/** What becomes of the question when a host says that an input is stale. */
const table: readonly (readonly [state: string, () => Scenario, of: string, outcome: string])[] = [
  ["nobody is asked yet", waiting, "o1", "opened"],
  ["the input is not old enough", waiting, "o2", "input_not_stale"],
  ["there is no such input", waiting, "o9", "input_not_found"],
  ["the input is done with", () => book(waiting()), "o1", "input_not_stale"],
  ["the workflow is paused", () => withWorkflow(waiting(), "pause_workflow"), "o1", "opened"],
  [
    "the workflow is archived",
    () => withWorkflow(waiting(), "archive_workflow"),
    "o1",
    "workflow_is_archived",
  ],
  ["it is asked already", asked, "o1", "stale_input_asked"],
  ["it is asked about an older one", asked, "o2", "stale_input_asked"],
  ["it is asked, and the input is done with", () => book(asked()), "o1", "closed"],
  ["another is said than the one asked about", () => book(asked()), "o2", "stale_input_asked"],
];

describe("[R23] a host says that an input is stale", () => {
  test.each(table)("when %s", (_, reach, of, outcome) => {
    const s = reach();
    const before = stale(s).filter(({ closedAt }) => closedAt === null).length;
    const decision = s.decide([note(of)]);
    if (!decision.ok) return expect(decision.refusal.code).toBe(outcome);
    s.do(note(of));
    const open = stale(s).filter(({ closedAt }) => closedAt === null).length;
    expect([before, open]).toEqual(outcome === "opened" ? [0, 1] : [1, 0]);
    expect(outcome).toMatch(/^(opened|closed)$/);
  });

  test("nothing is stale of a workflow that is not there", () => {
    const s = new Scenario();
    expect(s.refused(note("o1"))).toBe("input_not_found");
  });

  test("the question says which input, since when, how many, and who tells why", () => {
    const s = waiting();
    const { createdAt } = s.view.load("inputs", inputOf("o1"));
    s.do(note("o1", { count: 3 }));
    const [question] = stale(s);
    expect(question).toMatchObject({ subject: inputOf("o1"), answers: ["acknowledge"] });
    const since = new Date(createdAt).toISOString().slice(0, 19).replace("T", " ");
    expect(question?.note).toBe(
      `stale input: "Order 1, published by ada" (${inputOf("o1")}) is pending ` +
        `since ${since} UTC. ` +
        `3 inputs have waited for more than 7 days. ` +
        `\`holdfast why orders ${inputOf("o1")}\` tells why.`,
    );
    expect(s.actions).toContainEqual({ kind: "notify", attentionId: question?.attentionId });
  });

  test.each([
    [1, false, 90_000_000, "It has waited for more than 25 hours."],
    [1, true, 60_000, "1 or more inputs have waited for more than 1 minute."],
    [2, false, 1_500, "2 inputs have waited for more than 1500 ms."],
  ])("of %i (more: %s) after %i ms it says: %s", (count, isMore, staleInputMs, words) => {
    const s = waiting({ staleInputMs });
    s.do(note("o1", { count, isMore }));
    expect(stale(s)[0]?.note).toContain(words);
  });

  test("the question is closed in the name of the host when its input is done with", () => {
    const s = book(asked());
    s.do(note("o1"));
    expect(stale(s)).toMatchObject([{ closedBy: "host", answer: "not_stale" }]);
  });

  test("the question stays when more patience is asked for: somebody has to have seen it", () => {
    const s = asked();
    Object.assign(s.view, { policy: { ...s.view.policy, staleInputMs: 100 * dayMs } });
    expect(s.refused(note("o1"))).toBe("stale_input_asked");
  });

  test("whoever skips the input closes the question with it", () => {
    const s = asked();
    s.do({ kind: "skip_input", inputId: inputOf("o2"), actor });
    expect(stale(s)).toMatchObject([{ closedAt: null }]);
    s.do({ kind: "skip_input", inputId: inputOf("o1"), actor });
    expect(stale(s)).toMatchObject([{ closedBy: actor, answer: "skip" }]);
  });

  test("taking note closes the question, once, and changes nothing else", () => {
    const s = acknowledged();
    const [{ attentionId = "", ...row } = {}] = stale(s);
    expect(row).toMatchObject({ closedBy: actor, answer: "acknowledge" });
    expect(s.refused({ kind: "acknowledge", attentionId, actor })).toBe("attention_not_found");
  });

  test("[R161] it is taken from a host, and from nobody else", () => {
    const s = waiting();
    const { kind, ...body } = note("o1");
    for (const name of [actor, "host"]) {
      expect(s.fold(kind, body, name)).toMatchObject({ refusal: "command_malformed" });
    }
    expect(s.fold(kind, { ...body, actor }, actorOfHost("h-1")).refusal).toBe("command_malformed");
    expect(stale(s)).toEqual([]);
    expect(s.fold(kind, body, actorOfHost("h-1"))).toMatchObject({ accepted: true });
    expect(stale(s)).toHaveLength(1);
  });
});
