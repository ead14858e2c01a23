import { describe, expect, test } from "vitest";
import { brokenInvariants } from "./invariants.ts";
import type { Scenario } from "./scenario.ts";
import { inLedgerState } from "./state-builder.ts";

/** Rows no command could make, planted by hand: each must be seen for what it is. */
const planted: Readonly<Record<string, readonly [(s: Scenario) => void, string]>> = {
  "a second open run": [
    (s) => s.view.put("runs", { ...s.runRow(), runId: "r99" }),
    "several runs are open",
  ],
  "a reserved event nobody holds": [
    (s) => plantEvent(s, { reservedBy: null }),
    "orders/e1@1 is reserved, held by null",
  ],
  "a consumed event somebody holds": [
    (s) => plantEvent(s, { status: "consumed" }),
    "orders/e1@1 is consumed, held by",
  ],
  "an event held by a run that has ended": [
    (s) => s.view.put("runs", { ...s.runRow(), open: false }),
    "orders/e1@1 is reserved, held by",
  ],
  "an open outcome of a run that has ended": [
    (s) => s.view.put("runs", { ...s.runRow(), open: false }),
    "is in_flight but its run",
  ],
  "an event released while its change is uncertain": [
    (s) => plantEvent(s, { status: "pending", reservedBy: null }),
    "orders/e1@1 is pending behind mutation",
  ],
  "a mutation in flight without its guard": [
    (s) => s.view.remove("mutation_inputs", ["book", "orders", "e1", 1]),
    "is in_flight, guard rows: false",
  ],
};

function plantEvent(
  s: Scenario,
  wrong: { status?: "pending" | "consumed"; reservedBy?: string | null },
): void {
  s.view.put("events", { ...s.view.load("events", "orders", "e1"), ...wrong });
}

describe("negative control: the invariants notice", () => {
  test("nothing while only commands were given", () => {
    expect(brokenInvariants(inLedgerState("in_flight").view)).toEqual([]);
  });

  test.each(Object.entries(planted))("%s", (_, [plant, problem]) => {
    const s = inLedgerState("in_flight");
    plant(s);
    expect(brokenInvariants(s.view).join("\n")).toContain(problem);
  });
});
