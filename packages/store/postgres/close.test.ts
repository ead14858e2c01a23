import { insertRow, type TopicRow } from "@holdfast/core";
import type pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { Owner } from "../testing/change-builder.ts";
import { command } from "../testing/inbox.testsuite.ts";
import { topicRow } from "../testing/row-builder.ts";
import { AsideConnections, asideMax } from "./lent-connection.ts";
import { CuttingProxy } from "./testing/index.ts";
import { databaseInTest, errorOf, openInTest } from "./testing/store-in-test.ts";

test("a scan that is held open does not keep a store from closing, and ends with it", async () => {
  const { url } = await databaseInTest();
  const store = await openInTest({ url });
  const owner = await Owner.create(store);
  const names = Array.from({ length: 2_500 }, (_, no) => `t-${no}`);
  await owner.persist(...names.map((name) => insertRow("topics", topicRow(name))));
  const rows = store.scan("orders", "topics")[Symbol.asyncIterator]();
  expect((await rows.next()).done).toBe(false);
  await store.close();
  const readOn = async () => {
    const read: TopicRow[] = [];
    for (let next = await rows.next(); !next.done; next = await rows.next()) read.push(next.value);
    return read;
  };
  await errorOf(readOn, "STORE_CLOSED");
});

test("a scan whose connection is being made when the store closes ends with it", async () => {
  const { url } = await databaseInTest();
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const atBoundary = (boundary: string) => {
    // By then the scan has asked for the connection, and no server has answered so soon.
    if (boundary === "scan answered") setImmediate(ask);
  };
  const store = await openInTest({ url, atBoundary });
  const owner = await Owner.create(store);
  const names = Array.from({ length: 2_500 }, (_, no) => `t-${no}`);
  await owner.persist(...names.map((name) => insertRow("topics", topicRow(name))));
  const first = store.scan("orders", "topics")[Symbol.asyncIterator]().next();
  const refused = errorOf(() => first, "STORE_CLOSED");
  await asked;
  await Promise.all([store.close(), refused]);
});

test("whoever waits behind a connection that is never made is told when it closes", async () => {
  const { promise: connecting, reject: fail } = Promise.withResolvers<pg.PoolClient>();
  const pool: Pick<pg.Pool, "connect" | "end"> = { connect: () => connecting, end: async () => {} };
  const aside = new AsideConnections(pool as pg.Pool, 1_000);
  const lendRefused = () => errorOf(() => aside.lend(), "STORE_CLOSED");
  const behindNobody = Array.from({ length: asideMax }, lendRefused);
  const waiting = Array.from({ length: 3 }, lendRefused);
  await aside.close();
  await Promise.all(waiting);
  fail(new Error("the server never answered"));
  await Promise.all(behindNobody);
});

test("what was asked for before it closes is answered", async () => {
  const { url } = await databaseInTest();
  const store = await openInTest({ url });
  const owner = await Owner.create(store);
  const answers = store.commit([owner.change()]);
  // More than there are connections: some of them still wait for one.
  const given = Array.from({ length: 50 }, (_, no) => store.appendCommand(command(`c-${no}`)));
  await store.close();
  expect((await answers).map(({ kind }) => kind)).toEqual(["committed"]);
  const positions = (await Promise.all(given)).map(({ position }) => position);
  expect(new Set(positions).size).toBe(50);
});

test("whoever still waits for a connection when it closes gets one", async () => {
  const { url } = await databaseInTest();
  const store = await openInTest({ url, connectionsMax: 2 });
  const asked = Array.from({ length: 50 }, () => store.census());
  await Promise.all([store.close(), ...asked]);
});

test("closes though it is watched and the server does not answer", async () => {
  const { url } = await databaseInTest();
  const proxy = await CuttingProxy.start(url);
  onTestFinished(() => proxy.stop());
  const store = await openInTest({ url: proxy.url(), answerMsMax: 1_500, onTrouble: () => {} });
  store.watch(() => {});
  const planned = proxy.plan({ place: { at: "stall" }, matching: /census_1/ });
  const asked = expect(store.census()).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
  await planned.hit;
  await store.close();
  await asked;
});
