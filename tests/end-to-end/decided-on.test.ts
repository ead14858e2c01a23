import { describe, expect, test } from "vitest";
import { Desk } from "./desk.ts";
import { bearer, knock } from "./knock.ts";
import { places } from "./stores.ts";
import { deployOrders } from "./story.ts";

type Problem = { readonly refusal?: string; readonly detail?: string };

/** Of the shipped program, in the name of whoever started it: status, and why not. */
async function asker({ host }: Desk) {
  const url = await host.url;
  return async (path: string, body: object, seen: string | null = null) => {
    const headers = {
      ...bearer("a-token-for-tests"),
      "content-type": "application/json",
      ...(seen === null ? {} : { "if-match": `"${seen}"` }),
    };
    const asked = { method: "POST", path: `/api/v1/workflows/orders${path}`, headers };
    const { status, text } = await knock(url, { ...asked, body: JSON.stringify(body) });
    const { refusal = null } = JSON.parse(text) as Problem;
    return [status, refusal] as const;
  };
}

const done = [200, null];
const stale = [412, "revision_stale"];
const closed = [409, "attention_not_found"];

describe.each(Object.entries(places))(
  "what was decided on something else, on %s",
  (_, newStore) => {
    test("[R74] changes nothing: approvals, rejections, grants, pausing, events", async () => {
      const desk = await Desk.open(await newStore());
      await deployOrders(desk.host, [], ["shop.post"]);
      await desk.publish("o-1", 5);
      const first = await desk.question("approval");
      const post = await asker(desk);
      const path = `/attention/${first.attentionId}`;
      // biome-ignore lint/suspicious/noThenProperty: the word of the contract; never awaited
      const reject = { answer: "reject", reason: "not this one", then: "skip" };
      expect(await post(path, reject, "in_flight")).toEqual(stale);
      // Both saw the same; whoever comes second to the workflow's owner is told so.
      const both = await Promise.all([1, 2].map(() => post(path, reject, "awaiting_approval")));
      expect(both.filter(([status]) => status === 200)).toEqual([done]);
      expect(both.filter(([status]) => status !== 200)).toEqual([closed]);
      await desk.publish("o-2", 7);
      const { attentionId, call } = await desk.question("approval");
      const { payloadHash = "", previewHash = "" } = { previewHash: "", ...call?.approval };
      const approve = { answer: "approve", payloadHash, previewHash };
      expect(await post(path, approve)).toEqual(closed);
      expect(await post(`/attention/${attentionId}`, approve, "ready")).toEqual(stale);
      expect(await post(`/attention/${attentionId}`, approve, "awaiting_approval")).toEqual(done);
      await desk.booked(7);
      const pause = { kind: "pause_workflow" };
      expect(await post("/commands", pause, "paused")).toEqual(stale);
      const pauses = await Promise.all([1, 2, 3].map(() => post("/commands", pause, "active")));
      expect(pauses.toSorted()).toEqual([done, stale, stale]);
      expect(await post("/commands", { kind: "resume_workflow" }, "paused")).toEqual(done);
      const grants = { grants: [{ operation: "shop.post", say: "allow" }] };
      expect(await post("/grants", grants, "7")).toEqual(stale);
      expect(await post("/grants", grants, "1")).toEqual(done);
      const skip = { kind: "skip_event", body: { topic: "order.received", messageId: "o-2" } };
      expect(await post("/commands", skip, "1")).toEqual(stale);
      const none = { kind: "skip_event", body: { topic: "order.received", messageId: "o-9" } };
      expect(await post("/commands", none, "1")).toEqual(stale);
    });

    test("[R74] is no answer to a later question about the same call", async () => {
      const desk = await Desk.open(await newStore());
      desk.shop.mood = "drops the answer";
      await deployOrders(desk.host);
      await desk.publish("o-1", 5);
      const { attentionId } = await desk.question("outcome_unknown");
      const post = await asker(desk);
      const path = `/attention/${attentionId}`;
      expect(await post(path, { answer: "skip" }, "needs_reconcile")).toEqual(stale);
      expect(await post(path, { answer: "skip" }, "indeterminate")).toEqual(done);
      expect(await post(path, { answer: "skip" }, "indeterminate")).toEqual(closed);
    });
  },
);
