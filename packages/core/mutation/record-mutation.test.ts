import { expect, test } from "vitest";
import { hashText } from "../canonical/index.ts";
import { byHand, bytesOf, call, consumer, Scenario, version } from "../testing/scenario.ts";

const o1 = ["orders", "o1"] as const;

test("[R60] the ledger has the whole call and its inputs before anything is sent", () => {
  const s = new Scenario();
  s.do(version(1, 0, { topics: ["orders"], handlers: [consumer("book", ["orders"])] }));
  s.do(byHand(...o1));
  const runId = s.prepared("book", [o1], { uiTitle: "Book order 1" });
  const payload = bytesOf({ order: 1, amount: 3 });
  const identity = bytesOf({ order: 1 });
  s.do(call(runId, { connection: "shop", operation: "post", target: "/b", payload, identity }));
  const mutationId = s.view.load("runs", runId).mutationId ?? "";
  expect(s.view.load("mutations", mutationId)).toMatchObject({
    runId,
    handler: "book",
    attempt: 1,
    callNo: 1,
    connection: "shop",
    operation: "post",
    target: "/b",
    state: "ready",
    payload: { inline: payload },
    identity: { inline: identity },
    payloadHash: hashText(payload),
    uiTitle: "Book order 1",
    sendCount: 0,
    recordedAt: s.now,
    settledAt: null,
    result: null,
    failure: null,
    resolution: null,
  });
  const inputs = [...s.view.rows("mutation_inputs")];
  expect(inputs).toEqual([
    { consumer: "book", topic: "orders", messageId: "o1", attempt: 1, mutationId },
  ]);
});
