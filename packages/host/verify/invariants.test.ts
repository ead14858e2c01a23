import { type DeliveryRow, type HandlerRow, pinPayload, View } from "@holdfast/core";
import { expect, test } from "vitest";
import { brokenInvariants } from "./invariants.ts";

const handler: HandlerRow = {
  name: "hook",
  kind: "producer",
  subscribe: [],
  publishes: null,
  onMutationFailed: "prepare",
  catchUp: "once",
  declared: true,
  state: null,
  checkedThrough: 0,
  wakeAt: null,
  nextRunAt: null,
  crashCount: 0,
  webhook: true,
  waitingCount: 1,
  calledAt: null,
  freshFrom: null,
  forms: null,
  start: "webhook",
};
const delivery: DeliveryRow = {
  inputId: "in_1",
  handler: "hook",
  deliveryId: "d1",
  position: 1,
  status: "waiting",
  runId: null,
  body: pinPayload(new Uint8Array()).payload,
  receivedAt: 0,
};

test("names a handler that does not know how many deliveries wait for it", () => {
  const view = View.empty("orders");
  view.put("handlers", handler);
  view.put("deliveries", delivery);
  expect(brokenInvariants(view)).toEqual([]);
  view.put("deliveries", { ...delivery, inputId: "in_2" });
  expect(brokenInvariants(view)).toMatchObject([
    { code: "INVARIANT_BROKEN", note: "2 deliveries wait for hook, which knows of 1" },
  ]);
});
