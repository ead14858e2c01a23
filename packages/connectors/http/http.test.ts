import type { RequestListener } from "node:http";
import { NotSent } from "@holdfast/connector-kit";
import { describe, expect, test } from "vitest";
import { failure } from "../testing/failure.ts";
import { serve, serveAnswers } from "../testing/serve.ts";
import { http } from "./connector.ts";

type Call = {
  readonly operation: string;
  readonly params: unknown;
  readonly go?: () => void;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
};

const never = new AbortController().signal;

async function call(baseUrl: string, given: Call, more = {}) {
  const { operation, params, go = () => {}, signal = never, timeoutMs = 300 } = given;
  const account = { connector: "http", baseUrl, allowPrivateAddresses: true, timeoutMs: 300 };
  const connected = http.connect("shop", { ...account, ...more });
  const admitted = connected.operations[operation]?.admit(params);
  if (admitted === undefined) throw new Error(`no ${operation}`);
  return admitted.execute({ key: "k", timeoutMs, signal, go });
}

const post = { operation: "post", params: { path: "/orders", body: { id: 1 } } } as const;

describe("what an answer says of a change", () => {
  test.each([
    [400, "logic, committed no"],
    [401, "auth, committed no"],
    [403, "permission, committed no"],
    [404, "logic, committed no"],
    [408, "transient, committed unknown"],
    [409, "transient, committed unknown"],
    [412, "precondition, committed no"],
    [423, "transient, committed unknown"],
    [425, "transient, committed unknown"],
    [429, "transient, committed no"],
    [302, "transient, committed unknown"],
    [500, "transient, committed unknown"],
    [503, "transient, committed unknown"],
  ])("[R114] %i: %s", async (status, says) => {
    const url = await serve((_, response) => response.writeHead(status).end());
    expect(await failure(call(url, post))).toBe(says);
  });

  const noon = "Tue, 01 Jan 2030 12:00:00 GMT";
  test.each([
    ["429 without more", 429, {}, 1_000],
    ["429 with seconds", 429, { "retry-after": "7" }, 7_000],
    ["429 with none", 429, { "retry-after": "0" }, 1_000],
    [
      "429 with a date, on the clock of the service",
      429,
      { "retry-after": "Tue, 01 Jan 2030 12:02:00 GMT", date: noon },
      120_000,
    ],
    ["429 with a date that is over", 429, { "retry-after": noon, date: noon }, 1_000],
    ["429 with nonsense", 429, { "retry-after": "soon" }, 1_000],
    ["503 with a date", 503, { "retry-after": "Tue, 01 Jan 2030 12:00:05 GMT", date: noon }, 5_000],
    ["503 without more", 503, {}, null],
  ])("[R150] a service wants to be left alone: %s", async (_, status, headers, restMs) => {
    const url = await serve((_request, response) => response.writeHead(status, headers).end());
    const error: unknown = await call(url, post).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ retryAfterMs: restMs });
  });

  test("[S18] a 2xx is done; a body that cannot be kept exactly stays text", async () => {
    const bodies = ['{"ok":true}', '{"id":1234567890123456789}', '{"cut', '"\\ud800"'];
    const results: unknown[] = [];
    for (const body of bodies) {
      const url = await serve((_, response) => {
        response.writeHead(200, { "content-type": "application/json" }).end(body);
      });
      results.push(await call(url, post));
    }
    const [whole, ...texts] = bodies;
    expect(results).toEqual([
      { status: 200, body: JSON.parse(whole ?? "") },
      ...texts.map((body) => ({ status: 200, body })),
    ]);
  });

  test("a reset, a timeout, an answer cut off or too long leave it unknown", async () => {
    const listeners: readonly RequestListener[] = [
      (request) => request.socket.destroy(),
      () => {},
      (request, response) => {
        response.writeHead(200, { "content-length": "100" });
        response.write("half");
        setImmediate(() => request.socket.destroy());
      },
      (_, response) => response.end("x".repeat(1_100_000)),
    ];
    for (const listener of listeners) {
      expect(await failure(call(await serve(listener), post))).toBe("NoAnswer");
    }
  });

  test("where nobody listens it is proven that nothing was done", async () => {
    expect(await failure(call("http://127.0.0.1:1", post))).toBe("transient, committed no");
  });

  test("[R155] the last check comes after connecting; after a no nothing arrives", async () => {
    let requests = 0;
    const url = await serve((_, response) => {
      requests += 1;
      response.end();
    });
    const go = () => {
      throw new NotSent("too late");
    };
    expect(await failure(call(url, { ...post, go }))).toBe("NotSent");
    expect(requests).toBe(0);
  });
});

describe("where a call may lead", () => {
  test.each(["/../admin", "/a/../../admin", "/%2e%2e/x", "/a%2fb", "/a?b=1", "/a#b", "/a\\b", "a"])(
    "the path %s is refused before anything is sent",
    async (path) => {
      let requests = 0;
      const url = await serve((_, response) => {
        requests += 1;
        response.end();
      });
      const given = { operation: "delete", params: { path } };
      expect(await failure(call(`${url}/api`, given))).toBe("logic, committed no");
      expect(requests).toBe(0);
    },
  );

  // Services read each of these as "/admin/users", and no grant that denies that would fit it.
  test.each(["/%61dmin/users", "/adm%69n/users", "//admin/users", "/admin//users", "/x/..;/admin"])(
    "[S54] [R84] a path is not written so that a grant about it is passed by: %s",
    async (path) => {
      const { url, seen } = await serveAnswers(() => ({ status: 200 }));
      for (const operation of ["get", "list", "post", "delete"]) {
        expect(await failure(call(url, { operation, params: { path } }))).toBe(
          "logic, committed no",
        );
      }
      expect(seen).toEqual([]);
    },
  );

  test.each(["/a%20b", "/a%C3%A9", "/a;b=1/c", "/a..b/.c", "/~a-b_c.d/"])(
    "what has to be in percent form, or only looks odd, is sent as it is: %s",
    async (path) => {
      const { url, seen } = await serveAnswers(() => ({ status: 200 }));
      await call(url, { operation: "get", params: { path } });
      expect(seen.map(({ line }) => line)).toEqual([`GET ${path}`]);
    },
  );

  test("a private address is refused unless the account allows it", async () => {
    const url = await serve((_, response) => response.end());
    // By its address, and by a name that has to be looked up.
    for (const baseUrl of [url, url.replace("127.0.0.1", "localhost")]) {
      const refused = call(baseUrl, post, { allowPrivateAddresses: false });
      expect(await failure(refused)).toBe("precondition, committed no");
    }
  });

  test("redirects are not followed, and query and body arrive as they were given", async () => {
    const seen: string[] = [];
    const url = await serve((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      response.writeHead(request.url === "/api/a?x=1&b=two" ? 200 : 302, { location: "/b" }).end();
    });
    const params = { path: "/a", query: { x: 1, b: "two" } };
    await call(`${url}/api/`, { operation: "list", params });
    await failure(call(url, post));
    expect(seen).toEqual(["GET /api/a?x=1&b=two", "POST /orders"]);
  });

  test("the body of a read is sent with its length, and without one there is none", async () => {
    const { url, seen } = await serveAnswers(() => ({ status: 200, body: [] }));
    for (const operation of ["get", "list"]) {
      await call(url, { operation, params: { path: "/a", body: { name: "ä" } } });
      await call(url, { operation, params: { path: "/a" } });
    }
    const once = [
      ["GET /a", "13", '{"name":"ä"}'],
      ["GET /a", undefined, ""],
    ];
    const lines = seen.map(({ line, headers, body }) => [line, headers["content-length"], body]);
    expect(lines).toEqual([...once, ...once]);
  });

  test.each([
    { baseUrl: "https://user:secret@shop.example" },
    { baseUrl: "ftp://shop.example" },
    { baseUrl: "https://shop.example", headers: { "x-a": "b\r\nx-c: d" } },
    { baseUrl: "https://shop.example", retries: 3 },
  ])("the account %j is refused at the start", (account) => {
    expect(() => http.connect("shop", { connector: "http", ...account })).toThrow();
  });
});

test("a get of what is not there is null, and reads that fail may be tried again", async () => {
  const answers: Readonly<Record<string, number>> = { "/gone": 404, "/busy": 503, "/wrong": 400 };
  const url = await serve((request, response) => {
    response.writeHead(answers[request.url ?? ""] ?? 200).end();
  });
  const get = (path: string) => call(url, { operation: "get", params: { path } });
  expect(await get("/gone")).toBeNull();
  expect(await failure(get("/busy"))).toBe("transient, committed no");
  expect(await failure(get("/wrong"))).toBe("logic, committed no");
});

describe("when nobody waits any more", () => {
  /** Holds every request until its connection has ended. */
  async function holding() {
    const came = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const url = await serve((request) => {
      request.socket.once("close", () => ended.resolve());
      came.resolve();
    });
    return { url, came: came.promise, ended: ended.promise };
  }

  test.each([
    ["a change is unknown", post, "NoAnswer"],
    [
      "a read is transient",
      { operation: "get", params: { path: "/a" } },
      "transient, committed no",
    ],
  ])("[R114] %s, and its connection is ended", async (_, given, says) => {
    const { url, came, ended } = await holding();
    const giveUp = new AbortController();
    const patient = { signal: giveUp.signal, timeoutMs: 60_000 };
    const calling = failure(call(url, { ...given, ...patient }));
    await came;
    giveUp.abort();
    expect(await calling).toBe(says);
    await ended;
  });

  test("[R114] nothing is begun: not a byte has left, and that is proof", async () => {
    const seen: string[] = [];
    const url = await serve(() => void seen.push("request"));
    const signal = AbortSignal.abort();
    const calling = call(url, { ...post, signal, go: () => void seen.push("go") });
    expect(await failure(calling)).toBe("transient, committed no");
    expect(seen).toEqual([]);
  });
});
