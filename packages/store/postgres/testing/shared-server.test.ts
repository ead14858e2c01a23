import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { knock, openSharedServer, urlVariable } from "./shared-server.ts";
import { sharedServerUrl } from "./shared-server-url.ts";
import { createTestDatabase, runVariable, withConnection } from "./test-database.ts";
import { TestServer } from "./test-server.ts";

const serverUrl = await sharedServerUrl();

/** These tests open doors of their own; the rest of the run keeps its name and its server. */
beforeEach(() => {
  vi.stubEnv(runVariable, undefined);
  vi.stubEnv(urlVariable, undefined);
});

afterEach(() => {
  vi.unstubAllEnvs();
});

test("a run in which nobody asks for the server does not start one", async () => {
  const start = vi.fn(TestServer.start);
  const { close } = await openSharedServer(start);
  await close();
  expect(start).not.toHaveBeenCalled();
});

test("all who ask are given one server", async () => {
  const start = vi.fn(() => TestServer.start());
  const { door, close } = await openSharedServer(start);
  const urls = await Promise.all([knock(door), knock(door)]);
  expect(urls[0]).toBe(urls[1]);
  expect(start).toHaveBeenCalledTimes(1);
  await close();
  await expect(withConnection(urls[0], async () => {})).rejects.toThrow(/ECONNREFUSED/);
});

test("whoever asks for a server that does not start hears why", async () => {
  const { door, close } = await openSharedServer(() => Promise.reject(new Error("no room")));
  await expect(knock(door)).rejects.toThrow(/no room/);
  await close();
});

test("a server named in the environment is used, and left without a trace", async () => {
  vi.stubEnv(urlVariable, serverUrl);
  const start = vi.fn(TestServer.start);
  const { door, close } = await openSharedServer(start);
  expect(await knock(door)).toBe(serverUrl);
  const { url } = await createTestDatabase(serverUrl);
  await close();
  expect(start).not.toHaveBeenCalled();
  await expect(withConnection(url, async () => {})).rejects.toThrow(/does not exist/);
  await withConnection(serverUrl, async () => {});
});

test("the server is as careful as a store wants it, wherever its files are", async () => {
  const sql =
    "SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages";
  const { rows } = await withConnection(serverUrl, (client) => client.query(sql));
  expect(rows).toEqual([{ fsync: "on", pages: "on" }]);
});
