import { describe, expect, test } from "vitest";
import { endOfStep, sayEntry, timeOf } from "./machine-story.ts";
import { cellLine, cellName, machineName, sayCell, sayEffect, sayVerdict } from "./machines.ts";

const calm = {
  diagnosis: {
    cause: "waiting_event",
    note: "",
    next: "",
    seq: null,
    intentId: null,
    eventHash: null,
  },
  failed: null,
  again: null,
  waiting: 0,
  status: "running",
};
const of = (cause: string, more: object = {}) => {
  return { ...calm, diagnosis: { ...calm.diagnosis, cause }, ...more };
};

describe("words for machines", () => {
  test("a cell is called what its author and its key call it", () => {
    expect(machineName("orders/parcel@1")).toBe("parcel");
    expect(machineName("orders/parcel@2")).toBe("parcel (form 2)");
    expect(cellName({ machine: "orders/parcel@1", key: "p-1" })).toBe("parcel p-1");
    expect(cellName({ machine: "orders/parcel@1", key: { id: 7 } })).toBe('parcel {"id":7}');
    expect(cellName({ machine: "orders/tally@1", key: null })).toBe("tally");
  });

  test("its state is said in words, and a turn to come is not rest", () => {
    expect(sayCell({ status: "failed", waiting: 1 }).tone).toBe("stopped");
    expect(sayCell({ status: "running", waiting: 0 }).text).toBe("ready for what comes");
    expect(sayCell({ status: "running", waiting: 2 }).text).toBe("its turn comes");
    expect(sayCell({ status: "of a later host", waiting: 0 }).text).toBe("of a later host");
    expect(cellLine({ waiting: 2, openIntents: ["a", "b"] })).toBe(
      "2 things to look at · 2 answers to come",
    );
    expect(cellLine({ waiting: 0, openIntents: ["a"] })).toBe("");
  });

  test("what is asked for is said as what it is", () => {
    expect(sayEffect("http/post@1", { path: "/parcels", connection: "shop" })).toBe(
      "POST /parcels at shop",
    );
    expect(sayEffect("sys/timer.set@1", { deliver_at_ns: "1794914396438000000" })).toContain(
      "to be woken at ",
    );
    expect(sayEffect("sys/blob.put@1", {})).toBe("to have bytes kept");
    expect(sayEffect("mail/send@1", null)).toBe("send");
  });

  test("[M.K7.8-5] every verdict is a sentence, with what to do where something is", () => {
    const asked = [{ kind: "mutation", attentionId: "a1" }];
    const timers = [{ kind: "timer", attentionId: null }];
    const table = [
      [of("waiting_receipt"), asked, "a person has to agree to", "Answer below."],
      [of("waiting_receipt"), timers, "It sleeps until it is woken.", null],
      [of("waiting_receipt"), [], "waits for the answer", null],
      [of("waiting_event"), [], "what comes in next", null],
      [of("waiting_event", { waiting: 1 }), [], "its turn comes", null],
      [of("adapter_timeout"), [], "not answered in time", "decides what comes of it"],
      [of("adapter_error", { status: "completed" }), [], "did not work", "has ended it"],
      [of("completed"), [], "It is done", null],
      [of("unknown"), [], "Nothing has happened", null],
    ] as const;
    for (const [cell, intents, what, todo] of table) {
      const said = sayVerdict(cell, intents);
      expect(said.what).toContain(what);
      if (todo === null) expect(said.todo).toBeNull();
      else expect(said.todo).toContain(todo);
    }
  });

  test("[M.K7.8-5] one that stopped says at what, and whether it would again", () => {
    const failed = { status: "failed", failed: "step" };
    const again = { kind: "fault", code: "step.threw", note: "Error: no customer." };
    const mended = { kind: "output", code: null, note: "" };
    const of = (more: object) => sayVerdict({ ...calm, ...failed, ...more }, []);
    expect(of({ again }).what).toContain("Error: no customer.");
    expect(of({ again: mended })).toMatchObject({ todo: "Let it go on with it." });
    expect(of({ failed: "receipt" }).what).toContain("no place for");
    const diagnosis = { ...calm.diagnosis, cause: "invariant_violation", note: "step.fuel" };
    expect(of({ diagnosis }).what).toContain("it did not come to an end.");
  });

  test("a record is told as what happened, with what belongs to it", () => {
    const of = (kind: string, record: object, note: string | null = null) =>
      sayEntry({ kind, record: record as never, note });
    expect(of("event", { topic: "parcel.packed", value: { id: 1 } })).toMatchObject({
      text: "came in: parcel.packed",
      value: { id: 1 },
    });
    expect(of("event", { value: 1 }).text).toBe("sent to it by hand");
    expect(of("said", { topic: "parcel.booked" }).text).toBe("told others: parcel.booked");
    expect(of("step", { done: true }).tone).toBe("done");
    expect(of("effect", { effect: "http/get@1", intent_hash: "ab" })).toMatchObject({
      text: "asked: get",
      intentId: "ab",
    });
    expect(of("receipt", { status: "ok" }).tone).toBe("done");
    expect(of("receipt", { status: "error" }).tone).toBe("stopped");
    expect(of("restarted", { actor: "ada", poison: "drop" }).text).toContain("ada let it go on");
    expect(of("fault", { name: "workflow.step_fault", code: "step.fuel" }).text).toContain(
      "did not come to an end",
    );
    const said = "step.threw: Error: thirteen";
    expect(of("fault", { name: "workflow.step_fault", code: "step.threw" }, said).text).toContain(
      "it threw an error: Error: thirteen",
    );
    expect(of("fault", { name: "workflow.receipt_ignored" }).tone).toBe("quiet");
    // What was sent already is not taken back by it.
    expect(of("cancel_asked", { actor: "ada" }).text).toBe(
      "ada asked to take back what it had asked for",
    );
    expect(of("of_a_later_host", {}).text).toBe("of a later host");
  });

  test("a step ends with what it asked for, and has the time of what led to it", () => {
    const entries = [
      { seq: 2, at: 5_000, cause: null },
      { seq: 3, at: null, cause: 2 },
      { seq: 4, at: null, cause: 3 },
      { seq: 5, at: null, cause: 3 },
      { seq: 9, at: null, cause: 8 },
    ];
    expect([endOfStep(entries, 3), endOfStep(entries, 9)]).toEqual([5, 9]);
    expect([timeOf(entries, 5), timeOf(entries, 9)]).toEqual([5_000, null]);
  });
});
