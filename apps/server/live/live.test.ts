import type { Changes } from "@holdfast/core";
import { Random, settle, VirtualTime } from "@holdfast/host/testing";
import { describe, expect, test } from "vitest";
import { Live } from "./live.ts";
import type { Reader } from "./live-stream.ts";

/** The promise of `readChanges`, and nothing else; its answers may be held up. */
class News {
  readonly heads = new Map<string, { head: number; place: number }>();
  readCount = 0;
  isAway = false;
  hold: Promise<void> = Promise.resolve();
  #place = 0;

  move(workflow: string): void {
    const head = (this.heads.get(workflow)?.head ?? 0) + 1;
    this.#place += 1;
    this.heads.set(workflow, { head, place: this.#place });
  }

  async readChanges(after: string | null): Promise<Changes> {
    this.readCount += 1;
    if (this.isAway) throw new Error("the store is away");
    const from = after === null ? this.#place : Number(after);
    const cursor = `${this.#place}`;
    const moved = [...this.heads].filter(([, { place }]) => place > from);
    await this.hold;
    return { changed: moved.map(([workflow, { head }]) => ({ workflow, head })), cursor };
  }
}

/** What a client makes of the bytes: heads by workflow, and where it would resume. */
class Client {
  readonly heads = new Map<string, number>();
  readonly texts: string[] = [];
  lastId: string | null = null;
  isOver = false;
  #reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = body.getReader();
  }

  async readOnce(): Promise<void> {
    const { done, value } = await this.#reader.read();
    this.isOver = done;
    if (done) return;
    const text = new TextDecoder().decode(value);
    this.texts.push(text);
    for (const event of text.split("\n\n")) this.#take(event);
  }

  #take(event: string): void {
    const [, data] = /^event: changed\ndata: (.*)$/m.exec(event) ?? [];
    if (data !== undefined) {
      const { workflow, head } = JSON.parse(data) as { workflow: string; head: number };
      this.heads.set(workflow, head);
    }
    this.lastId = /^id: (.*)$/m.exec(event)?.[1] ?? this.lastId;
  }

  async readAll(): Promise<void> {
    while (!this.isOver) await this.readOnce();
  }

  async leave(): Promise<void> {
    await this.#reader.cancel();
  }
}

function open() {
  const time = new VirtualTime();
  const news = new News();
  const complaints: string[] = [];
  const complain = (line: string) => complaints.push(line);
  const live = new Live({ store: news, timers: time.startProcess().timers, complain });
  const follow = async (after: string | null = null, reader: Partial<Reader> = {}) => {
    const stream = await live.open(after, { isIn: () => true, cutOff: () => {}, ...reader });
    return stream === null ? null : new Client(stream.body);
  };
  return { time, news, live, follow, complaints };
}

async function followed(following: Promise<Client | null>): Promise<Client> {
  const client = await following;
  if (client === null) throw new Error("no stream was opened");
  return client;
}

describe("live changes", () => {
  test("a change of this host is told soon, one of another within a second", async () => {
    const { time, news, live, follow } = open();
    const client = await followed(follow());
    void client.readAll();
    news.move("orders");
    live.changed();
    await time.advance(30);
    expect(client.heads).toEqual(new Map([["orders", 1]]));
    news.move("mails");
    await time.advance(1_000);
    expect(client.heads.get("mails")).toBe(1);
    expect(client.lastId).toBe("2");
  });

  test("only the last event of one answer has its id", async () => {
    const { news, follow } = open();
    for (let count = 0; count < 450; count += 1) news.move(`workflow-${count}`);
    const client = await followed(follow("0"));
    for (const expected of [null, null, "450"]) {
      await client.readOnce();
      expect(client.lastId).toBe(expected);
    }
    expect(client.heads.size).toBe(450);
    expect(client.texts[2]?.match(/^id: /gm)).toHaveLength(1);
  });

  test("nobody listens, and nothing is read", async () => {
    const { time, news, live, follow } = open();
    live.changed();
    await time.advance(10_000);
    expect(news.readCount).toBe(0);
    const clients = await Promise.all(Array.from({ length: 100 }, () => followed(follow())));
    for (const client of clients) void client.readAll();
    await time.advance(1_000);
    const opened = news.readCount;
    await time.advance(10_000);
    expect(news.readCount - opened).toBe(10);
    for (const client of clients) await client.leave();
    await time.advance(10_000);
    expect([news.readCount - opened, live.openCount]).toEqual([10, 0]);
  });

  test("a quiet stream has a heartbeat every 15 seconds", async () => {
    const { time, follow } = open();
    const client = await followed(follow());
    void client.readAll();
    await time.advance(45_500);
    expect(client.texts.slice(1)).toEqual([":\n\n", ":\n\n", ":\n\n"]);
    await client.leave();
    const next = await followed(follow());
    void next.readAll();
    await time.advance(15_500);
    expect(next.texts.slice(1)).toEqual([":\n\n"]);
  });

  test("who never reads is cut off after 30 seconds, and keeps nothing until then", async () => {
    const { time, news, live, follow } = open();
    let cutOff = 0;
    await follow(null, { cutOff: () => (cutOff += 1) });
    const reads = news.readCount;
    for (let second = 0; second < 29; second += 1) {
      news.move("orders");
      await time.advance(1_000);
    }
    expect([cutOff, live.openCount]).toEqual([0, 1]);
    await time.advance(1_000);
    expect([cutOff, live.openCount]).toEqual([1, 0]);
    // Nothing was read for it alone.
    expect(news.readCount - reads).toBeLessThanOrEqual(30);
  });

  test("who is no longer let in sees nothing more", async () => {
    const { time, news, live, follow } = open();
    let isIn = true;
    const client = await followed(follow(null, { isIn: () => isIn }));
    void client.readAll();
    await time.advance(100);
    isIn = false;
    news.move("orders");
    live.changed();
    await time.advance(30);
    expect([client.isOver, client.heads.size]).toEqual([true, 0]);
    isIn = true;
    const quiet = await followed(follow(null, { isIn: () => isIn }));
    void quiet.readAll();
    await time.advance(100);
    expect(quiet.texts).toHaveLength(1);
    isIn = false;
    await time.advance(1_000);
    expect([quiet.isOver, live.openCount]).toEqual([true, 0]);
  });

  test("as many as there is room for; when the host stops, nobody", async () => {
    const { live, follow } = open();
    for (let count = 0; count < 500; count += 1) expect(await follow()).not.toBeNull();
    expect(await follow()).toBeNull();
    live.close();
    expect([live.openCount, await follow()]).toEqual([0, null]);
  });

  test("a store that is away for a while ends no stream, and is complained of once", async () => {
    const { time, news, follow, complaints } = open();
    const client = await followed(follow());
    void client.readAll();
    news.isAway = true;
    news.move("orders");
    await time.advance(5_000);
    expect(complaints).toHaveLength(1);
    await expect(follow()).rejects.toThrow("the store is away");
    news.isAway = false;
    await time.advance(1_000);
    expect(client.heads.get("orders")).toBe(1);
  });

  test("those that open at the same moment miss nothing of each other's", async () => {
    const { time, news, follow } = open();
    const late = Promise.withResolvers<void>();
    news.hold = late.promise;
    const first = followed(follow("0"));
    news.hold = Promise.resolve();
    news.move("orders");
    const second = await followed(follow());
    late.resolve();
    const clients = [await first, second];
    for (const client of clients) void client.readAll();
    await time.advance(2_000);
    expect(clients[0]?.heads.get("orders")).toBe(1);
  });
});

/** Goes on where it was, also after it was cut off. */
async function newReader(follow: ReturnType<typeof open>["follow"]) {
  const cutOff = () => {
    state.isCutOff = true;
  };
  const state = {
    client: await followed(follow("0", { cutOff })),
    reading: false,
    isCutOff: false,
    resume: async () => {
      const { heads, lastId } = state.client;
      state.client = await followed(follow(lastId ?? "0", { cutOff }));
      for (const [workflow, head] of heads) state.client.heads.set(workflow, head);
      state.isCutOff = false;
    },
  };
  return state;
}

/** Reads when it likes, goes and comes back, and must know all heads in the end. */
async function anyLife(seed: number): Promise<void> {
  const random = new Random(seed);
  const { time, news, live, follow } = open();
  const { timers } = time.startProcess();
  const noHold = Promise.resolve();
  const after = (ms: number) => new Promise<void>((go) => void timers.setTimer(ms, go));
  const states = await Promise.all(Array.from({ length: 4 }, () => newReader(follow)));
  const step = async () => {
    const state = random.pick(states);
    const kind = random.below(6);
    if (kind < 2) news.move(`workflow-${random.below(300)}`);
    if (kind === 2) live.changed();
    if (kind === 2) news.hold = random.chance(0.5) ? after(random.below(3_000)) : noHold;
    if (kind === 2) news.isAway = random.chance(0.3);
    if (kind === 3) await time.advance(random.below(1_500));
    if (kind === 4 && !state.reading) {
      state.reading = true;
      void state.client.readOnce().then(() => (state.reading = false));
      await settle();
    }
    if (kind === 5 && !state.reading && random.below(4) === 0) {
      await state.client.leave();
      Object.assign(news, { hold: noHold, isAway: false });
      await state.resume();
    }
  };
  for (let count = 0; count < 400; count += 1) await step();
  Object.assign(news, { hold: noHold, isAway: false });
  await time.advance(4_000);
  for (const state of states) if (state.isCutOff) await state.resume();
  for (const { client } of states) void client.readAll();
  await time.advance(3_000);
  const expected = [...news.heads].map(([workflow, { head }]) => [workflow, head]).toSorted();
  for (const { client } of states) {
    expect([seed, [...client.heads].toSorted()]).toEqual([seed, expected]);
  }
}

test("no reader misses a change, however it reads, leaves and resumes", async () => {
  for (let seed = 1; seed <= 60; seed += 1) await anyLife(seed);
});
