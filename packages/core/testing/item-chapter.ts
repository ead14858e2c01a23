import {
  byHand,
  bytesOf,
  consumer,
  emptyCommit,
  producer,
  publication,
  type Scenario,
  version,
} from "./scenario.ts";

const actor = "ada";
const big = bytesOf("x".repeat(600));

/** A job that an event starts: calls with other bytes, a failure, new attempts, making way. */
export function itemChapter(s: Scenario): void {
  const job = {
    ...producer("tidy"),
    kind: "job",
    subscribe: ["chores"],
    scheduled: false,
  } as const;
  const handlers = [consumer("book", ["orders"]), producer("fresh"), job];
  s.do(version(3, 0, { topics: ["orders", "chores"], observed: ["booked"], handlers }));
  s.do(byHand("chores", "c1"));
  const event = { topic: "chores", messageId: "c1" };
  const start = () => {
    const asOf = s.view.head.seq;
    s.do({ kind: "start_run", handler: "tidy", asOf, trigger: "event", event });
    return s.openRun().runId;
  };
  const enter = (runId: string, itemId: string) =>
    s.do({ kind: "enter_item", runId, itemId, title: `Item ${itemId}` });
  const complete = (runId: string, itemId: string, attempt = 1) => {
    const publishes = [publication("booked", null, { payload: big })];
    s.do({ kind: "complete_item", runId, itemId, attempt, publishes });
  };
  const failure = { class: "logic", message: "no", location: "tidy" } as const;
  const first = start();
  enter(first, "i1");
  const { mutationId } = s.send(first, { subkey: "one" });
  s.settle(mutationId, { says: "applied", result: null });
  const other = { kind: "compare_payload", runId: first, mutationId, note: "n" } as const;
  s.do({ ...other, payload: bytesOf({ minor: 1 }), says: "minor" });
  s.do({ ...other, payload: big, says: "significant" });
  const { hash: payloadHash } = s.view.load("mutations", mutationId).proposed ?? { hash: "" };
  s.do({ kind: "accept_payload", itemId: "i1", payloadHash, actor });
  complete(first, "i1");
  enter(first, "i2");
  s.do({ kind: "fail_run", runId: first, failure });
  s.do({ kind: "skip_item", itemId: "i2", actor });
  const second = s.retry(first);
  enter(second, "i3");
  s.do({ kind: "pause_run", runId: second, because: { reason: "user" } });
  s.do({ kind: "resume_run", runId: second, actor });
  enter(second, "i1");
  s.do({ kind: "make_way", runId: second });
  s.do({ kind: "reprocess_items", itemIds: ["i1", "i3"], actor });
  s.do({ kind: "start_fresh", handler: "tidy", actor });
  const third = start();
  enter(third, "i1");
  complete(third, "i1", 3);
  s.do(emptyCommit(third));
}
