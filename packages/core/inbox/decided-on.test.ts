import { describe, expect, test } from "vitest";
import type { CanonicalValue } from "../canonical/index.ts";
import { byHand, consumer, dump, producer, Scenario, version } from "../testing/scenario.ts";

type Body = Readonly<Record<string, CanonicalValue>>;

function shop(): Scenario {
  const s = new Scenario();
  const handlers = [producer("poll"), consumer("book", ["orders"])];
  s.do(version(1, 0, { topics: ["orders"], handlers }));
  s.do(byHand("orders", "o1"));
  return s;
}

/** A call of which nobody knows the outcome, and the question about it. */
function uncertain() {
  const s = shop();
  const { mutationId } = s.send(s.prepared("book", [["orders", "o1"]]));
  s.settle(mutationId, { says: "unknown", note: "timeout" });
  const [question] = [...s.view.rows("attentions")];
  return { s, mutationId, question: question?.attentionId ?? "" };
}

const on = (state: string | null, question: string | null = null) => ({
  decidedOn: { question, state },
});

describe("what a command was decided on", () => {
  const o1 = { topic: "orders", messageId: "o1" };
  const rows: readonly (readonly [kind: string, body: Body, was: string, other: string])[] = [
    ["pause_workflow", {}, "active", "paused"],
    ["set_brake", { operation: "*", reason: "look" }, "active", "paused"],
    ["skip_event", o1, "4", "3"],
    ["reset_producer", { handler: "poll" }, "active", "archived"],
  ];

  test.each(rows)("%s goes through if it is still so, and is refused if not", (...given) => {
    const [kind, body, was, other] = given;
    const s = shop();
    const { workflows: _, verdicts: __, ...before } = dump(s.view);
    const refused = s.fold(kind, { ...body, ...on(other) });
    expect(refused).toMatchObject({ accepted: false, refusal: "revision_stale" });
    expect(refused.note).toContain(`is ${was} now, and not ${other}`);
    expect(dump(s.view)).toMatchObject(before);
    expect(s.fold(kind, { ...body, ...on(was) })).toMatchObject({ accepted: true });
  });

  test("something that is not there is not as it was seen", () => {
    const gone = { topic: "orders", messageId: "o9", ...on("1") };
    expect(shop().fold("skip_event", gone)).toMatchObject({
      refusal: "revision_stale",
      note: "The revision of orders/o9 is not there now, and not 1.",
    });
    expect(shop().fold("stop_run", { runId: "r9", ...on("active") }).refusal).toBe(
      "revision_stale",
    );
  });

  test("is compared when the command's turn comes, not when it is taken in", () => {
    const s = shop();
    const pause = () => s.fold("pause_workflow", on("active"));
    expect([pause().refusal, pause().refusal]).toEqual([null, "revision_stale"]);
  });

  test.each([
    ["decidedOn: expected a record", "active"],
    ["decidedOn.state: expected text", { state: 1 }],
    ["decidedOn.more: expected no such field", { more: "x" }],
  ])("that cannot be read is refused: %s", (note, decidedOn) => {
    const verdict = shop().fold("pause_workflow", { decidedOn } as Body);
    expect(verdict).toMatchObject({ refusal: "command_malformed", note: `pause_workflow.${note}` });
  });

  test("broken text in it asks no store for anything", () => {
    const verdict = shop().fold("pause_workflow", on(null, "a\u0000"));
    expect(verdict).toMatchObject({ refusal: "command_malformed" });
  });
});

describe("[R74] an answer to a question", () => {
  test("counts while that question is open", () => {
    const { s, mutationId, question } = uncertain();
    const body = { mutationId, answer: { says: "skip" }, ...on("indeterminate", question) };
    expect(s.fold("resolve_mutation", body)).toMatchObject({ accepted: true });
  });

  test("counts for no later one about the same run", () => {
    const s = shop();
    const runId = s.start("book");
    const failure = { class: "auth", message: "no", location: "shop.get" } as const;
    const asks = () => {
      s.do({ kind: "pause_run", runId, because: { reason: "auth", failure } });
      return [...s.view.rows("attentions")].find(({ closedAt }) => closedAt === null)?.attentionId;
    };
    const first = asks() ?? "";
    expect(s.fold("resume_run", { runId, ...on(null, first) })).toMatchObject({ accepted: true });
    const second = asks() ?? "";
    expect(s.fold("resume_run", { runId, ...on(null, first) }, "bob")).toMatchObject({
      accepted: false,
      refusal: "attention_not_found",
      note: `Question ${first} is no longer open.`,
    });
    expect(s.fold("resume_run", { runId, ...on(null, second) })).toMatchObject({ accepted: true });
  });

  test("that there never was is refused", () => {
    const { s, mutationId } = uncertain();
    const body = { mutationId, answer: { says: "skip" }, ...on(null, "a9999") };
    expect(s.fold("resolve_mutation", body).refusal).toBe("attention_not_found");
  });
});
