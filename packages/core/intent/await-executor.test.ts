import { expect, test } from "vitest";
import { call, producer, Scenario, version } from "../testing/scenario.ts";
import { openIntentRuns } from "./intent-run.ts";
import { workOfIntent } from "./machine-work.ts";

const kinds = ({ records }: ReturnType<Scenario["do"]>) => records.map(({ fact }) => fact.kind);

function recorded() {
  const s = new Scenario();
  const topics = { topics: ["orders"], observed: ["booked"], handlers: [producer("poll")] };
  s.do({ ...version(1, 0, topics), machines: true, definitions: ["orders/order@1 one"] });
  const { kind, runId, subkey, ...toRecord } = call("r0", { verdict: s.verdict() });
  const named = { machine: "orders/order@1", cellKey: null, requestedKey: null, title: "Book" };
  const intentId = "1".repeat(64);
  s.do({ kind: "record_intent", ...toRecord, ...named, older: false, intentId });
  const [{ mutationId } = { mutationId: "" }] = [...s.view.rows("mutations")];
  const waits = { kind: "await_executor", mutationId, executor: "http" } as const;
  const work = (...asking: readonly string[]) => {
    const asks = (executor: string) => asking.includes(executor);
    const [run] = openIntentRuns(s.view);
    return run === undefined ? "none" : workOfIntent(s.view, run, s.now, asks);
  };
  return { s, mutationId, waits, work };
}

test("a call that nobody asks for is due when its executor asks, and by no clock", () => {
  const { s, waits, work, mutationId } = recorded();
  const send = { kind: "send", mutationId };
  expect(work()).toEqual(send);
  s.do(waits);
  expect([work(), work("mail"), work("http")]).toEqual([null, null, send]);
  s.do(s.sending(mutationId));
  expect(s.view.load("mutations", mutationId)).toMatchObject({ awaitsExecutor: null });
});

test("what is said again of a call that waits is not written again", () => {
  const { s, waits } = recorded();
  expect(kinds(s.do(waits))).toEqual(["mutation_unasked"]);
  expect(kinds(s.do(waits))).toEqual([]);
  const other = { ...waits, executor: "mail" };
  expect(kinds(s.do(other))).toEqual(["mutation_unasked"]);
});

test("whoever asked was gone again: the call is as it was before, and waits", () => {
  const { s, mutationId, work } = recorded();
  s.do(s.sending(mutationId));
  const { senderIncarnation } = s.view.load("mutations", mutationId);
  const unsent = { kind: "report_unsent", mutationId, note: "it was gone again" } as const;
  const incarnation = senderIncarnation ?? "";
  const done = s.do({ ...unsent, incarnation, awaitsExecutor: "http" });
  expect(kinds(done)).toEqual(["mutation_requeued", "mutation_unasked"]);
  expect([work(), work("http")]).toEqual([null, { kind: "send", mutationId }]);
});
