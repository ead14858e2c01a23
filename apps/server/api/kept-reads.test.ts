import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Hash, Loaded } from "@holdfast/core";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { expect, onTestFinished, test } from "vitest";
import type { ApiEnv } from "./api-env.ts";
import { KeptReads } from "./kept-reads.ts";

async function start() {
  const made: string[] = [];
  const at = { hash: "a".repeat(64), filler: "" };
  const load = async (workflow: string) => {
    const head = { seq: 1, at: 0, hash: at.hash as Hash };
    return { workflow, epoch: 1, head, rows: [], absent: [], needs: [] } satisfies Loaded;
  };
  const kept = new KeptReads({ load });
  const app = new Hono<ApiEnv>().get("/:workflow/:id", (context) => {
    return kept.answer(context, async (workflow) => {
      made.push(`${workflow} ${context.req.param("id")}`);
      return { at: at.hash.slice(0, 1), filler: at.filler };
    });
  });
  const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 });
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const get = (path: string, tag?: string) => {
    return fetch(`${url}${path}`, { headers: tag === undefined ? {} : { "if-none-match": tag } });
  };
  return { made, at, get };
}

test("an answer is put together once for each head of its workflow", async () => {
  const { made, at, get } = await start();
  for (const path of ["/orders/r1", "/orders/r1", "/mails/r1", "/orders/r1"]) {
    expect(await (await get(path)).json()).toMatchObject({ at: "a" });
  }
  expect(made).toEqual(["orders r1", "mails r1"]);
  at.hash = "b".repeat(64);
  expect(await (await get("/orders/r1")).json()).toMatchObject({ at: "b" });
  expect(made).toHaveLength(3);
});

test("whoever shows the tag of the last answer is told that nothing is new", async () => {
  const { made, at, get } = await start();
  const tag = (await get("/orders/r1")).headers.get("etag") ?? "";
  const again = await get("/orders/r1", tag);
  expect([again.status, await again.text(), made.length]).toEqual([304, "", 1]);
  at.hash = "b".repeat(64);
  const moved = await get("/orders/r1", tag);
  expect([moved.status, moved.headers.get("etag") === tag]).toEqual([200, false]);
});

test("what is long is not kept, and of many answers only the latest are", async () => {
  const { made, at, get } = await start();
  at.filler = "x".repeat(70_000);
  await (await get("/orders/long")).text();
  await (await get("/orders/long")).text();
  expect(made).toHaveLength(2);
  at.filler = "";
  for (let no = 0; no <= 1_000; no++) await (await get(`/orders/r${no}`)).text();
  made.length = 0;
  await (await get("/orders/r1")).text();
  await (await get("/orders/r0")).text();
  expect(made).toEqual(["orders r0"]);
});
