import { createServer, type LookupFunction, type Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { connectTo, type Place } from "./connect.ts";

/** Not private, and nobody's: kept for documents. */
const publicAddress = "192.0.2.1";

/** Counts who comes; the address is one of this machine. */
async function listen(address: string, port = 0) {
  const came: Socket[] = [];
  const server = createServer((socket) => came.push(socket));
  await new Promise<void>((resolve) => server.listen(port, address, resolve));
  onTestFinished(() => {
    for (const socket of came) socket.destroy();
    server.close();
  });
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("no port");
  return { came, port: bound.port };
}

/** Answers each question for a name with the next of these. */
function resolver(...turns: readonly (readonly string[])[]) {
  const asked: string[] = [];
  const resolve: LookupFunction = (hostname, { all }, answer) => {
    const turn = turns[Math.min(asked.length, turns.length - 1)] ?? [];
    asked.push(hostname);
    const found = turn.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    const [first = { address: "", family: 4 }] = found;
    process.nextTick(() => {
      if (all) answer(null, found);
      else answer(null, first.address, first.family);
    });
  };
  return { asked, resolve };
}

function place(port: number, more: Partial<Place> = {}): Place {
  const { signal } = new AbortController();
  const common = { isTls: false, timeoutMs: 200, allowPrivateAddresses: false, signal };
  return { host: "shop.example", port, ...common, ...more };
}

async function endOf(connecting: Promise<Socket>): Promise<string> {
  return connecting.then(
    (socket) => {
      const { remoteAddress } = socket;
      socket.destroy();
      return `connected to ${remoteAddress}`;
    },
    (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : "?"),
  );
}

const ways = [
  ["alone", [["127.0.0.1"]]],
  ["first of several", [["127.0.0.1", publicAddress]]],
  ["second of several", [[publicAddress, "127.0.0.1"]]],
  ["as a mapped one", [["::ffff:127.0.0.1"]]],
  ["of version 6", [["::1", publicAddress]]],
] as const;

describe.each([false, true])("a name that leads to a private address, with TLS: %s", (isTls) => {
  test.each(ways)("is refused before anything is connected: %s", async (_, turns) => {
    const { came, port } = await listen("127.0.0.1");
    const { asked, resolve } = resolver(...turns);
    const end = await endOf(connectTo(place(port, { isTls }), resolve));
    expect(end).toMatch(/^NotAllowed: shop\.example:\d+ is \S+, which the account does not allow$/);
    expect(asked).toEqual(["shop.example"]);
    expect(came).toEqual([]);
  });
});

test("a name that points elsewhere after it was looked at leads nowhere else", async () => {
  const { came, port } = await listen("127.0.0.1");
  const { asked, resolve } = resolver([publicAddress], ["127.0.0.1"]);
  expect(await endOf(connectTo(place(port), resolve))).toMatch(/^NotReached: /);
  expect(asked).toEqual(["shop.example"]);
  expect(came).toEqual([]);
});

test("what is connected to is what was answered the first time", async () => {
  const first = await listen("127.0.0.1");
  const other = await listen("127.0.0.2", first.port);
  const { asked, resolve } = resolver(["127.0.0.1"], ["127.0.0.2"]);
  const allowed = place(first.port, { allowPrivateAddresses: true });
  expect(await endOf(connectTo(allowed, resolve))).toBe("connected to 127.0.0.1");
  expect(asked).toEqual(["shop.example"]);
  expect(other.came).toEqual([]);
});

test.each(["127.0.0.1", "::1", "::ffff:127.0.0.1", "169.254.169.254", "0.0.0.0", "10.0.0.1"])(
  "%s itself is refused without a connection and without a question",
  async (host) => {
    const { asked, resolve } = resolver([publicAddress]);
    expect(await endOf(connectTo(place(9, { host }), resolve))).toMatch(/^NotAllowed: /);
    expect(asked).toEqual([]);
  },
);

test("a name of this machine is refused, and nobody is connected", async () => {
  const { came, port } = await listen("127.0.0.1");
  expect(await endOf(connectTo(place(port, { host: "localhost" })))).toMatch(/^NotAllowed: /);
  expect(came).toEqual([]);
});
