import { expect, test } from "vitest";
import type { Cause } from "./cause.ts";
import { sayCause, sayWhy } from "./say-cause.ts";
import { sayUtc } from "./say-time.ts";

const until = Date.UTC(2030, 0, 2, 10, 4);
const metered = { mutationId: null, metered: "shop.ask" };
const by = { actor: "ada", at: until };
const failure = { class: "transient", message: "503", location: "shop" } as const;
const call = { mutationId: "m9", operation: "shop.book", target: "orders" };
const called = { mutationId: "m9", operation: "shop.book" };
const run = { runId: "r12", handler: "book" };
const asked = {
  kind: "person_asked",
  attentionId: "a7",
  question: "outcome_unknown",
  about: "m9",
  note: "no answer",
  answers: ["happened", "skip"],
  since: 1,
} as const;

/** Every kind of cause, and what a person reads. */
const said: readonly (readonly [Cause, string])[] = [
  [{ kind: "held_by_run", ...run }, "run r12 of book holds it"],
  [{ kind: "behind_run", ...run }, "run r12 of book is open, and one run at a time is worked on"],
  [{ kind: "same_call", ...run }, "run r12 of book makes this call, under its key"],
  [{ kind: "retried_as", runId: "r13", retryOf: "r12" }, "run r12 was followed by run r13"],
  [{ kind: "not_its_turn", handler: "bill", first: "book" }, "book comes before bill"],
  [
    { kind: "due_now", work: { kind: "start_run", handler: "book", why: "event" } },
    "book is to be started now (something new came in)",
  ],
  [{ kind: "commands_waiting", count: 1 }, "a command waits to be answered"],
  [{ kind: "commands_waiting", count: 2 }, "2 commands wait to be answered"],
  [{ kind: "workflow_not_created" }, "nothing was deployed yet"],
  [{ kind: "workflow_paused", by }, "the workflow was paused by ada at 2030-01-02 10:04:00 UTC"],
  [{ kind: "workflow_archived", by: null }, "the workflow was archived"],
  [{ kind: "workflow_stopped", error: "two crashes" }, "the workflow was stopped: two crashes"],
  [
    { kind: "backing_off", runId: "r12", reason: "backoff", failure, until },
    "run r12 tries again at 2030-01-02 10:04:00 UTC, because it failed (503)",
  ],
  [
    { kind: "backing_off", runId: "r12", reason: "rate_limit", failure: null, until },
    "run r12 tries again at 2030-01-02 10:04:00 UTC, because the service wants to be left alone",
  ],
  [
    { ...asked, until: null },
    "a person has to answer a7 (outcome unknown): no answer — happened or skip",
  ],
  [
    { ...asked, question: "approval", answers: ["approve"], until },
    "a person has to answer a7 (approval): no answer — approve; " +
      "without an answer by 2030-01-02 10:04:00 UTC it is asked anew",
  ],
  [
    { ...asked, until },
    "a person has to answer a7 (outcome unknown): no answer — happened or skip; " +
      "without an answer the host looks again at 2030-01-02 10:04:00 UTC",
  ],
  [
    { kind: "held_by_intent", runId: "r12", machine: "orders/order@1", cell: "order o1" },
    "the machine orders/order@1 has it (order o1), and waits for the call of run r12",
  ],
  [
    { kind: "cell_stopped", machine: "orders/order@1", key: "d9d9f7626f31", attentionId: "a7" },
    "a cell of orders/order@1 (o1) has stopped, and goes on when a7 is answered",
  ],
  [
    { kind: "cell_stopped", machine: "orders/order@1", key: "ff", attentionId: "a7" },
    "a cell of orders/order@1 has stopped, and goes on when a7 is answered",
  ],
  [
    { kind: "before_machines", topic: "orders" },
    "the machines have not taken in what is in orders yet",
  ],
  [{ kind: "machines_took", topic: "orders", appliedIds: [] }, "the machines have taken it in"],
  [
    { kind: "machines_took", topic: "orders", appliedIds: ["m9", "m12", "m13"] },
    "the machines have taken it in, with m9 and 2 more",
  ],
  [
    { kind: "brake_on", operation: "*", mutationId: "m9", reason: "stop", by, until: null },
    "the brake on everything, set by ada at 2030-01-02 10:04:00 UTC (stop), holds m9",
  ],
  [
    { kind: "brake_on", ...{ operation: "*", reason: "stop", by, until: null }, ...metered },
    "the brake on everything, set by ada at 2030-01-02 10:04:00 UTC (stop), holds shop.ask",
  ],
  [
    { kind: "call_waits", mutationId: "m9", operation: "shop.book", until },
    "shop.book (m9) is recorded and goes out at 2030-01-02 10:04:00 UTC",
  ],
  [
    { kind: "awaits_executor", ...called, executor: "http", until: null },
    "shop.book (m9) is recorded and not sent: no executor of http has asked for it",
  ],
  [
    { kind: "awaits_executor", ...called, executor: "http", until },
    "shop.book (m9) is recorded and not sent: no executor of http has asked for it; " +
      "its approval ends at 2030-01-02 10:04:00 UTC",
  ],
  [
    { kind: "in_flight", ...call, until },
    "shop.book on orders (m9) is being sent; " +
      "without an answer the host looks again at 2030-01-02 10:04:00 UTC",
  ],
  [
    { kind: "finding_out", ...call, how: "ask", until },
    "nobody knows yet whether shop.book on orders (m9) happened; " +
      "the host asks the service at 2030-01-02 10:04:00 UTC",
  ],
  [
    { kind: "retry_ordered", runId: "r12", from: "preparing", until },
    "run r12 is tried again from prepare at 2030-01-02 10:04:00 UTC",
  ],
  [
    { kind: "handler_gone", ...run },
    "run r12 is to be tried again, but book is not in the active version",
  ],
  [{ kind: "nothing_to_do", until: null }, "there is nothing to do until something new comes in"],
  [{ kind: "unexplained", note: "run r12 is lost" }, "run r12 is lost"],
  [
    { kind: "no_subscriber", topic: "orders", declared: true },
    "nobody subscribes to orders in the active version",
  ],
  [
    { kind: "no_subscriber", topic: "orders", declared: false },
    "the active version no longer has the topic orders",
  ],
  [
    { kind: "looked_and_left", handler: "book", checkedThrough: 3, until },
    "book has looked and left it until 2030-01-02 10:04:00 UTC or something new",
  ],
  [
    { kind: "no_events_yet", inputId: "in_1" },
    "it was registered, and no event was published for it yet",
  ],
  [{ kind: "observed", topic: "booked" }, "booked is only observed: nobody here works it off"],
  [
    { kind: "consumed", runId: "r12", at: until, mutationId: "m9" },
    "run r12 consumed it at 2030-01-02 10:04:00 UTC with m9",
  ],
  [
    { kind: "consumed", runId: "r12", at: until, mutationId: null },
    "run r12 consumed it at 2030-01-02 10:04:00 UTC without an outside change",
  ],
  [{ kind: "skipped", by }, "it was skipped by ada at 2030-01-02 10:04:00 UTC"],
  [
    { kind: "outcome_skipped", runId: "r12", mutationId: "m9", by },
    "the outcome of m9 in run r12 was given up on by ada at 2030-01-02 10:04:00 UTC",
  ],
  [
    { kind: "call_rejected", runId: "r12", mutationId: "m9", by },
    "m9 of run r12 was rejected by ada at 2030-01-02 10:04:00 UTC",
  ],
  [
    { kind: "run_committed", runId: "r12", at: until },
    "run r12 committed at 2030-01-02 10:04:00 UTC",
  ],
  [
    { kind: "run_aborted", runId: "r12", at: until },
    "run r12 was ended on purpose at 2030-01-02 10:04:00 UTC",
  ],
  [{ kind: "all_settled", eventCount: 1 }, "its event is settled"],
  [{ kind: "all_settled", eventCount: 3 }, "all its 3 events are settled"],
];

test.each(said)("[R59] a cause is put into words: $0.kind", (cause, text) => {
  expect(sayCause(cause)).toBe(text);
});

test("[R59] a chain is one sentence, from the subject to what it waits for", () => {
  const because: Cause[] = [
    { kind: "held_by_run", ...run },
    { kind: "backing_off", runId: "r12", reason: "backoff", failure, until },
  ];
  const subject = { kind: "event", topic: "orders", messageId: "o17" } as const;
  const sayTime = () => "10:04";
  expect(sayWhy("Order 17", { subject, state: "waiting", because }, sayTime)).toBe(
    "Order 17 waits: run r12 of book holds it; " +
      "run r12 tries again at 10:04, because it failed (503).",
  );
});

test("a time that no calendar has is still said", () => {
  expect(sayUtc(Number.MAX_SAFE_INTEGER)).toBe("a time no calendar has");
});
