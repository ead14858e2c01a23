import { expect, test } from "vitest";
import { RemoteDesk } from "../outside/remote-desk.ts";
import { AskedWork } from "./asked-work.ts";

/** Time that goes on when it is told to, with the timers that are due by then. */
class HandTime {
  now = 0;
  readonly #set = new Set<{ readonly at: number; readonly onTime: () => void }>();

  readonly setTimer = (ms: number, onTime: () => void) => {
    const timer = { at: this.now + ms, onTime };
    this.#set.add(timer);
    return () => this.#set.delete(timer);
  };
  readonly monotonicMs = () => this.now;

  async pass(ms: number): Promise<void> {
    const end = this.now + ms;
    for (;;) {
      await settled();
      const due = [...this.#set].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      const [first] = due;
      if (first === undefined) break;
      this.#set.delete(first);
      this.now = Math.max(this.now, first.at);
      first.onTime();
    }
    this.now = end;
  }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
}

const hourMs = 3_600_000;
const never = new AbortController().signal;

function begin({ own = [] as readonly string[] } = {}) {
  const time = new HandTime();
  const desk = new RemoteDesk(time, ["http"]);
  const awaiting = new Map<string, readonly string[]>();
  const brought: string[] = [];
  const troubles: unknown[] = [];
  const it = {
    ...{ time, desk, awaiting, brought, troubles },
    isOurs: true,
    isAway: false,
    ask: (workflows: readonly string[] | null = null, waitMs = 2 * hourMs) => {
      const reaches = (workflow: string) => workflows?.includes(workflow) ?? true;
      return desk.take({ executor: "http", reaches, waitMs, signal: never });
    },
  };
  const asked = new AskedWork({
    desk,
    store: {
      listAwaiting: async (executor, after, limit) => {
        if (it.isAway) throw new Error("away");
        const all = awaiting.get(executor) ?? [];
        return all.filter((each) => after === null || each > after).slice(0, limit);
      },
    },
    timers: time,
    monotonic: time,
    workFor: async (workflow) => {
      brought.push(workflow);
      return it.isOurs;
    },
    onTrouble: (cause) => troubles.push(cause),
  });
  asked.begin(own);
  return it;
}

test("whoever asks has as many workflows brought as there are askers that reach them", async () => {
  const { time, awaiting, brought, ask } = begin();
  const many = Array.from({ length: 250 }, (_, index) => `w${String(index).padStart(3, "0")}`);
  awaiting.set("http", many);
  void ask(["w240"]);
  await time.pass(1);
  expect(brought).toEqual(["w240"]);
  void ask();
  await time.pass(1);
  expect(brought).toEqual(["w240", "w241"]);
});

test("each workflow has its turn, however many others wait", async () => {
  const { time, awaiting, brought, ask, desk } = begin();
  awaiting.set("http", ["a", "b", "c"]);
  void ask();
  for (let turn = 0; turn < 6; turn += 1) {
    await time.pass(1_000);
    desk.forget(brought.at(-1) ?? "");
  }
  expect(brought.slice(0, 4)).toEqual(["a", "b", "c", "a"]);
});

test("what comes of nothing is left alone for longer and longer", async () => {
  const { time, awaiting, brought, ask } = begin();
  awaiting.set("http", ["orders"]);
  void ask();
  await time.pass(hourMs);
  expect(brought.length).toBeGreaterThan(8);
  expect(brought.length).toBeLessThan(16);
});

test("what another host has is looked for with every look, and nothing is counted", async () => {
  const it = begin();
  it.awaiting.set("http", ["orders"]);
  it.isOurs = false;
  void it.ask();
  await it.time.pass(10_000);
  expect(it.brought.length).toBeGreaterThan(8);
});

test("nobody looks where nobody asks", async () => {
  const { time, awaiting, brought, ask } = begin();
  awaiting.set("http", ["orders"]);
  await time.pass(hourMs);
  expect(brought).toEqual([]);
  void ask(null, 5_000);
  await time.pass(hourMs);
  expect(brought.length).toBeLessThan(6);
});

test("who stays for no time at all is answered after a look, and not before", async () => {
  const { time, awaiting, ask } = begin();
  awaiting.set("http", ["orders"]);
  let isAnswered = false;
  void ask(null, 0).then(() => {
    isAnswered = true;
  });
  await time.pass(1);
  expect(isAnswered).toBe(false);
  // What is expected does not come after all.
  await time.pass(5_000);
  expect(isAnswered).toBe(true);
});

test("who stays for no time waits for what another look has begun for them", async () => {
  const { time, desk, ask } = begin();
  let isAnswered = false;
  void ask(null, 10).then(() => {
    isAnswered = true;
  });
  void desk.expect("http", "orders");
  await time.pass(4_000);
  expect(isAnswered).toBe(false);
  desk.forget("orders");
  await time.pass(1);
  expect(isAnswered).toBe(true);
});

test("what the host makes itself is found when it starts, or the store is back", async () => {
  const it = begin({ own: ["mail"] });
  it.awaiting.set("mail", ["letters"]);
  it.isAway = true;
  await it.time.pass(3_000);
  expect([it.brought, it.troubles.length > 0]).toEqual([[], true]);
  it.isAway = false;
  await it.time.pass(2_000);
  expect(it.brought).toEqual(["letters"]);
  await it.time.pass(hourMs);
  expect(it.brought).toEqual(["letters"]);
});
