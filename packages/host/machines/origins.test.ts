import type { Store } from "@holdfast/core";
import { expect, test } from "vitest";
import { Origins } from "./origins.ts";

const store = { listRows: async () => [] } as unknown as Store;
const value = new Uint8Array();
const event = { topic: "orders", messageId: "o1" };

test("[R21] after a frame that was not kept, its numbers say nothing of inputs", async () => {
  const origins = new Origins({ store, workflow: "orders" });
  const input = { kind: "event", ...event, value, causedBy: ["i1"] } as const;
  origins.remember(
    [{ position: 9, bodyBytes: 0, input }],
    [{ ok: true, seq: 5, outcome: "taken" }],
  );
  expect(await origins.of(5)).toEqual({ event, causedBy: ["i1"] });
  origins.forget();
  expect(await origins.of(5)).toBeNull();
  expect(await origins.of(null)).toBeNull();
});
