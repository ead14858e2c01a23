import { expect, test } from "vitest";
import { asking, bytesOf, call, producer, Scenario, version } from "../testing/scenario.ts";

const actor = "ada";

test("[L23, R79] a call that a person has edited answers for the one the item asks for", () => {
  const s = new Scenario();
  const tidy = { ...producer("tidy"), kind: "job" } as const;
  s.do(version(1, 0, { topics: [], handlers: [tidy] }));
  const runId = s.start("tidy");
  s.do({ kind: "enter_item", runId, itemId: "i1", title: "Item 1" });
  const ask = asking(s.now + 1e6);
  s.do(call(runId, { ask, subkey: "one" }));
  const lastCall = () => s.view.load("mutations", s.view.load("runs", runId).mutationId ?? "");
  const made = lastCall();
  const { kind: _, runId: __, ask: ___, subkey: ____, ...described } = call(runId);
  const edit = (mutationId: string, editedHash: string, id: number) => {
    const other = { identity: bytesOf({ id }), payload: bytesOf({ id, amount: 6 }) };
    const edited = { ...described, ...other, verdict: s.verdict(), mutationId, editedHash };
    s.do({ kind: "edit_mutation", ...edited, ask, actor });
    return lastCall();
  };
  const first = edit(made.mutationId, made.payloadHash, 2);
  const second = edit(first.mutationId, first.payloadHash, 3);
  expect(second).toMatchObject({
    itemId: "i1",
    subkey: "one",
    mutationKey: made.mutationKey,
    acceptedHash: made.payloadHash,
    state: "awaiting_approval",
  });
  expect(second.providerKey).not.toBe(made.providerKey);
  // Nobody answers in time: what is asked anew still is what the item asked for.
  s.now = ask.expiresAt;
  s.do({ kind: "expire_approval", mutationId: second.mutationId });
  expect(lastCall()).toMatchObject({ state: "awaiting_approval", acceptedHash: made.payloadHash });
});
