import { expect, test } from "vitest";
import { hashText } from "../canonical/index.ts";
import type { CoreCommand } from "../command.ts";
import * as c from "../transitions/command-builder.ts";
import type { Scenario } from "../transitions/scenario.ts";
import { inLedgerState } from "../transitions/state-builder.ts";

function approveAs(s: Scenario, actor: string) {
  const { payloadHash } = s.mutationRow();
  const { mutationId } = s;
  return {
    kind: "approve_mutation",
    mutationId,
    payloadHash,
    previewHash: c.previewHash,
    actor,
  } as const;
}

/** Asked about, by a grant that wants four eyes. */
function asked(): Scenario {
  const s = inLedgerState("awaiting_approval");
  return s.run(c.edit(s, { ask: { ...c.askFor(s), fourEyes: true }, actor: "eve" }));
}

test("[R90, R93] an edited call is another one, with the name of who edited it", () => {
  const s = inLedgerState("awaiting_approval");
  const before = s.mutationRow();
  const payload = c.textBytes("order 1, one piece");
  s.run(c.edit(s, { payload, actor: "eve", target: "elsewhere" }));
  expect(s.mutationRow(before.mutationId)).toMatchObject({
    state: "failed",
    resolution: { kind: "edited", actor: "eve" },
  });
  expect(s.mutationRow()).toMatchObject({
    state: "awaiting_approval",
    runId: before.runId,
    payloadHash: hashText(payload),
    target: "elsewhere",
    approval: { edited: { from: before.mutationId, by: ["eve"] }, approvedAt: null },
  });
  expect(s.mutationRow().mutationKey).not.toBe(before.mutationKey);
  expect(s.mutationRow().providerKey).not.toBe(before.providerKey);
  expect(s.runRow()).toMatchObject({ status: "paused:approval", mutationId: s.mutationId });
  expect(s.openQuestions()).toEqual(["approval"]);
  expect([...s.view.rows("mutation_inputs")]).toEqual([]);
});

test("[R93] four eyes: nobody who edited a call approves it, however long ago", () => {
  const s = asked();
  s.run(c.edit(s, { payload: c.textBytes("order 1, three pieces"), actor: "fay" }));
  expect(s.mutationRow().approval?.edited?.by).toEqual(["eve", "fay"]);
  const whys = ["eve", "fay", c.actor, "gus"].map((who) => s.refusalOf(approveAs(s, who)));
  expect(whys).toEqual(["approver_edited_it", "approver_edited_it", "approver_deployed_it", null]);
});

test("[R93] an edited call that is asked again is still an edited one", () => {
  const s = asked().later(c.hourMs);
  s.run({ kind: "expire_approval", mutationId: s.mutationId });
  expect(s.mutationRow().approval).toMatchObject({ fourEyes: true, edited: { by: ["eve"] } });
  expect(s.refusalOf(approveAs(s, "eve"))).toBe("approver_edited_it");
});

test("[R91, S50] bytes that nobody agreed to are not sent, whatever a row says", () => {
  const s = inLedgerState("awaiting_approval");
  s.run(approveAs(s, "gus"));
  expect(s.refusalOf(c.send(s))).toBeNull();
  const row = s.mutationRow();
  s.view.put("mutations", { ...row, payloadHash: hashText(c.textBytes("820,000")) });
  expect(s.refusalOf(c.send(s))).toBe("payload_differs");
});

/** Sends it by grants that ask, and for four eyes if that is said. */
function sendAsked(s: Scenario, fourEyes: boolean): CoreCommand {
  const { envelope } = s.view.load("workflows");
  const verdict = { envelope, grant: 0, says: "ask", ...(fourEyes ? { fourEyes } : {}) } as const;
  return { ...c.send(s), verdict } as CoreCommand;
}

test("[R91, R93] a yes without four eyes does not send what they are asked for", () => {
  const one = inLedgerState("awaiting_approval");
  one.run(approveAs(one, "gus"));
  expect(one.refusalOf(sendAsked(one, false))).toBeNull();
  expect(one.refusalOf(sendAsked(one, true))).toBe("mutation_awaits_approval");
  const two = inLedgerState("awaiting_approval");
  two.run({ ...approveAs(two, "gus"), fourEyes: true });
  expect(two.refusalOf(sendAsked(two, true))).toBeNull();
});
