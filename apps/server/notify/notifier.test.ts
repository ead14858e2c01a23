import type { Connected } from "@holdfast/connector-kit";
import type { AttentionItem } from "@holdfast/host";
import { VirtualTime } from "@holdfast/host/testing";
import { expect, test } from "vitest";
import { Notifier } from "./notifier.ts";

type Pushed = { readonly event: string; readonly data: { readonly count?: number } };

function question(workflow: string, attentionId: string): AttentionItem {
  return {
    workflow,
    attentionId,
    kind: "action_needed",
    subject: "r1",
    note: "shop.post was not allowed",
    answers: ["resume", "stop"],
    openedAt: 1,
    closedAt: null,
    closedBy: null,
    answer: null,
    run: null,
    call: null,
    item: null,
    inputs: [],
    why: "Something has to be put right.",
    does: {},
    verifiable: null,
    check: null,
    heldBy: null,
    waiting: { events: 0, isMore: false },
  };
}

/** A sink that takes what it is given, unless it is told to refuse. */
function desk(openCount = 0) {
  const time = new VirtualTime();
  const pushed: Pushed[] = [];
  const said: string[] = [];
  const complaints: string[] = [];
  const state = { refuses: false, tries: 0 };
  const admit = (news: unknown) => ({
    execute: async () => {
      state.tries += 1;
      if (state.refuses) throw new Error("503");
      pushed.push(news as Pushed);
      return null;
    },
  });
  const sink = {
    account: "desk",
    connector: "webhook",
    timeoutMs: 1,
    operations: { send: { admit } },
  };
  const notifier = new Notifier({
    find: async ({ workflow, attentionId }) => question(workflow, attentionId),
    findOpen: async () => ({ items: Array.from({ length: openCount }), next: null }),
    sinks: [{ account: sink as unknown as Connected, paramsOf: (news) => news }],
    timers: time.startProcess().timers,
    url: "http://127.0.0.1:1",
    say: (line) => said.push(line),
    complain: (line) => complaints.push(line),
  });
  return { time, notifier, pushed, said, complaints, state };
}

test("a thousand questions in a minute are twenty notifications and a count", async () => {
  const { time, notifier, pushed, said } = desk();
  for (let number = 1; number <= 1_000; number++) {
    notifier.tell({ workflow: "orders", attentionId: `a${number}` });
  }
  await time.advance(59_000);
  expect(pushed.map(({ event }) => event)).toEqual(Array(20).fill("question.opened"));
  await time.advance(2_000);
  expect(pushed.at(-1)).toMatchObject({ event: "questions.opened", data: { count: 980 } });
  expect(pushed).toHaveLength(21);
  expect(said).toHaveLength(21);
  notifier.tell({ workflow: "orders", attentionId: "a1001" });
  await time.advance(1);
  expect(pushed).toHaveLength(22);
});

test("a sink that does not take it is tried three times more, then no more", async () => {
  const { time, notifier, pushed, complaints, state } = desk();
  state.refuses = true;
  notifier.tell({ workflow: "orders", attentionId: "a1" });
  await time.advance(11_000);
  expect([state.tries, pushed.length]).toEqual([3, 0]);
  await time.advance(3_600_000);
  expect(state.tries).toBe(4);
  expect(complaints.at(-1)).toContain("is not told again");
});

test("what is open is told at the start and once a day, if anything is", async () => {
  const { time, notifier, pushed } = desk(3);
  notifier.remind();
  await time.advance(86_400_000 * 2 + 1);
  expect(pushed.map(({ event, data }) => [event, data.count])).toEqual(
    Array(3).fill(["questions.open", 3]),
  );
  const quiet = desk(0);
  quiet.notifier.remind();
  await quiet.time.advance(86_400_001);
  expect(quiet.pushed).toEqual([]);
});

test("after it is closed nothing is told any more", async () => {
  const { time, notifier, state } = desk(1);
  state.refuses = true;
  notifier.tell({ workflow: "orders", attentionId: "a1" });
  await time.advance(1);
  notifier.close();
  notifier.tell({ workflow: "orders", attentionId: "a2" });
  await time.advance(86_400_000);
  expect(state.tries).toBe(1);
});
