import { labelOf } from "@holdfast/connector-kit";
import { describe, expect, test } from "vitest";
import { failure } from "../testing/failure.ts";
import { serve, serveAnswers } from "../testing/serve.ts";
import { http } from "./connector.ts";

const byKey = { header: "Idempotency-Key", retentionMs: 86_400_000 };
const orders = {
  path: "/orders",
  query: { ref: "{key}" },
  sentAs: { field: "ref" },
  found: "/orders",
  status: 201,
  visibilityDelayMs: 2_000,
};

function admit(
  baseUrl: string,
  account: object,
  { operation = "post", ...params }: object & { operation?: string } = {},
) {
  const whole = { connector: "http", baseUrl, allowPrivateAddresses: true, ...account };
  const given = { path: "/orders", body: { sum: 5 }, ...params };
  const admitted = http.connect("shop", whole).operations[operation]?.admit(given);
  if (admitted === undefined) throw new Error(`no ${operation}`);
  return admitted;
}

const { signal } = new AbortController();
const sending = { key: "k-1", timeoutMs: 5_000, signal, go: () => {} };
const asking = { key: "k-1", timeoutMs: 5_000, signal };
const nowhere = "http://127.0.0.1:1";

describe("what an account says can be relied on", () => {
  test.each([
    ["nothing", {}, {}, "at most once, asks you"],
    ["a key", { idempotency: byKey }, {}, "exactly once by key"],
    ["a key, for a put", { idempotency: byKey }, { operation: "put" }, "at most once, asks you"],
    ["a lookup", { lookup: orders }, {}, "at most once, verified"],
    ["a lookup, for a put", { lookup: orders }, { operation: "put" }, "at most once, asks you"],
    ["a lookup of orders", { lookup: orders }, { path: "/refunds" }, "at most once, asks you"],
    ["a lookup by ref", { lookup: byRef() }, { ref: "r" }, "at most once, verified"],
    ["a lookup by ref, without one", { lookup: byRef() }, {}, "at most once, asks you"],
  ])("[R65, R131] %s", (_, account, params, label) => {
    expect(labelOf(admit(nowhere, account, params).guarantee)).toBe(label);
  });

  test("[R68] without a visibility delay a not found proves nothing", () => {
    const { visibilityDelayMs: _, ...lookup } = orders;
    expect(admit(nowhere, { lookup: orders }).guarantee.visibilityDelayMs).toBe(2_000);
    expect(admit(nowhere, { lookup }).guarantee.visibilityDelayMs).toBeNull();
  });

  test.each([
    ["a key the service never gets", { lookup: { ...orders, sentAs: undefined } }],
    ["neither key nor ref", { lookup: { ...orders, query: {} } }],
    ["a placeholder nobody knows", { lookup: { ...orders, query: { ref: "{key}{id}" } } }],
    ["no status", { lookup: { ...orders, status: undefined } }],
    ["a path of its own without of", { lookup: { ...orders, path: "/orders/{key}" } }],
    ["a whole answer that proves whatever it is", { lookup: { ...orders, found: "" } }],
    ["parts of it, and none", { lookup: { ...orders, found: "", body: {} } }],
    ["the header of the key twice", { idempotency: byKey, headers: { "idempotency-key": "x" } }],
    ["authorization twice", { auth: token(), headers: { Authorization: "x" } }],
    ["a condition of its own", { headers: { "If-Match": "x" } }],
    ["a 2xx as proof of nothing done", { provesNotDone: [200] }],
  ])("an account with %s is refused, and its secrets are not repeated", (_, account) => {
    const refused = () => admit(nowhere, { auth: token(), ...account });
    expect(refused).toThrow();
    expect(refused).not.toThrow(/s3cr3t/);
  });

  test("a lookup that would take any answer for the item is refused, with what is missing", () => {
    const refused = () => admit(nowhere, { lookup: { ...orders, found: undefined } });
    expect(refused).toThrow(/found is the whole answer, so match or body has to say/);
  });
});

function byRef() {
  return { ...orders, query: { ref: "{ref}" }, sentAs: undefined };
}

function token() {
  return { kind: "bearer", token: "s3cr3t-token" };
}

describe("what is sent", () => {
  test("[R75] the key goes where the account says, the same each time", async () => {
    const { url, seen } = await serveAnswers(() => ({ status: 201 }));
    const header = { lookup: { ...orders, sentAs: { header: "X-Ref" } } };
    const query = { lookup: { ...orders, sentAs: { query: "ref" } } };
    for (const account of [{ idempotency: byKey }, header, query, { lookup: orders }]) {
      await admit(url, account).execute(sending);
      await admit(url, account).execute(sending);
    }
    const lines = seen.map(({ line, headers, body }) => {
      return [line, headers["idempotency-key"], headers["x-ref"], body];
    });
    const plain = '{"sum":5}';
    const once = [
      ["POST /orders", "k-1", undefined, plain],
      ["POST /orders", undefined, "k-1", plain],
      ["POST /orders?ref=k-1", undefined, undefined, plain],
      ["POST /orders", undefined, undefined, '{"sum":5,"ref":"k-1"}'],
    ];
    expect(lines).toEqual(once.flatMap((line) => [line, line]));
  });

  test("a script cannot set the key, a header or the place where the key goes", async () => {
    const { url, seen } = await serveAnswers(() => ({ status: 201 }));
    const account = { idempotency: byKey, lookup: orders };
    expect(() => admit(url, account, { headers: { a: "b" } } as object)).toThrow(/headers/);
    for (const body of [{ ref: "mine" }, [1], "text"]) {
      const sent = admit(url, account, { body } as object).execute(sending);
      expect(await failure(sent)).toBe("logic, committed no");
    }
    expect(seen).toEqual([]);
  });

  test.each([
    ["authorization", {}, {}],
    ["Cookie", {}, {}],
    ["Proxy-Authorization", {}, {}],
    ["idempotency-key", { idempotency: byKey }, { operation: "put" }],
    ["X-REF", { lookup: { ...orders, sentAs: { header: "X-Ref" } } }, { operation: "get" }],
    ["x-more", { headers: { "X-More": "own" } }, {}],
    ["x-api", { auth: { kind: "header", name: "X-Api", value: "own-value" } }, {}],
  ])("[R129] a secret of a script cannot be sent as %s", (name, account, params) => {
    const other = { "x-other": "s3cr3t-of-a-script" };
    const secretHeaders = { [name]: "s3cr3t-of-a-script" };
    const refused = () => admit(nowhere, account, { ...params, secretHeaders } as object);
    expect(refused).toThrow(/secretHeaders/);
    expect(refused).not.toThrow(/s3cr3t/);
    expect(() =>
      admit(nowhere, account, { ...params, secretHeaders: other } as object),
    ).not.toThrow();
  });

  test("[R140] a conditional change is sent as one, and a 412 proves it undone", async () => {
    const { url, seen } = await serveAnswers(() => ({ status: 412 }));
    const changed = { operation: "put", ifMatch: '"7"' };
    expect(await failure(admit(url, {}, changed).execute(sending))).toBe(
      "precondition, committed no",
    );
    await failure(admit(url, {}, { ifAbsent: true } as object).execute(sending));
    const sent = seen.map(({ headers }) => [headers["if-match"], headers["if-none-match"]]);
    expect(sent).toEqual([
      ['"7"', undefined],
      [undefined, "*"],
    ]);
    expect(admit(url, {}, changed).description).toContain('if it is still "7"');
    for (const params of [
      { ifMatch: "a\r\nb: c" },
      { ifMatch: "1", ifAbsent: true },
      { operation: "get", ifMatch: "1" },
    ]) {
      expect(() => admit(url, {}, params as object)).toThrow();
    }
  });

  test("[R114] a status the account declares proves that nothing was done", async () => {
    const { url } = await serveAnswers(() => ({ status: 503 }));
    const post = (account: object) => failure(admit(url, account).execute(sending));
    expect(await post({})).toBe("transient, committed unknown");
    expect(await post({ provesNotDone: [503] })).toBe("transient, committed no");
  });

  test.each([
    [{ kind: "bearer", token: "s3cr3t-token" }, "authorization", "Bearer s3cr3t-token"],
    [
      { kind: "basic", user: "u", password: "s3cr3t-word" },
      "authorization",
      "Basic dTpzM2NyM3Qtd29yZA==",
    ],
    [{ kind: "header", name: "X-Api", value: "s3cr3t-value" }, "x-api", "s3cr3t-value"],
  ])("[R129] credentials are sent, and come back in no text: %j", async (auth, name, value) => {
    const { url, seen } = await serveAnswers(({ headers }) => ({
      status: seen.length > 1 ? 200 : 401,
      body: { you: headers },
    }));
    const admitted = admit(url, { auth, headers: { "x-more": "s3cr3t-more" } });
    const error: unknown = await admitted.execute(sending).catch((reason: unknown) => reason);
    const result = await admitted.execute(sending);
    expect(seen[0]?.headers[name]).toBe(value);
    const { description, target } = admitted;
    const texts = JSON.stringify([String(error), description, target]);
    expect(texts).not.toMatch(/s3cr3t|dTpzM2/);
    expect(JSON.stringify(result)).not.toMatch(/s3cr3t-(?!more)|dTpzM2/);
  });
});

describe("credentials that are repeated in other escapes", () => {
  const secret = "abc/def+ghi==1234";
  const auth = { kind: "bearer", token: secret };
  const unicode = [...secret].map((each) => {
    return `\\u${each.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
  });
  const json = "application/json";

  test.each([
    ["a slash", json, `{"you":"Bearer ${secret.replace("/", "\\/")}"}`, { you: "Bearer (hidden)" }],
    ["one code", json, `{"you":"${secret.replace("+", "\\u002b")}"}`, { you: "(hidden)" }],
    ["codes alone", json, `["${unicode.join("")}","\\u002b"]`, ["(hidden)", "+"]],
    ["a name", json, `{"${secret.replace("/", "\\/")}":1}`, { "(hidden)": 1 }],
    ["JSON in JSON", json, JSON.stringify([`{"a":"abc\\/def+ghi==1234"}`]), ['{"a":"(hidden)"}']],
    ["a text", "text/plain", `\\ "${secret.replace("/", "\\/")}" \\`, '\\ "(hidden)" \\'],
    ["what is no escape", "text/plain", `\\N \\U0041 ${secret}`, "\\N \\U0041 (hidden)"],
    ["no value", json, `{"a":1e999,"b":"${unicode.join("")}"}`, '{"a":1e999,"b":"(hidden)"}'],
  ])("[R129] %s", async (_, type, text, body) => {
    const said = { status: 201 };
    const url = await serve((_request, response) => {
      response.writeHead(said.status, { "content-type": type }).end(text);
    });
    expect(await admit(url, { auth }).execute(sending)).toEqual({ status: 201, body });
    said.status = 400;
    const error = await admit(url, { auth })
      .execute(sending)
      .catch((reason: unknown) => String(reason));
    expect(error).toContain("(hidden)");
    expect(error).not.toMatch(/def|ghi|u002[bB]g|1234/);
  });

  test("[R129] a number that is the credential is hidden, and nothing else is lost", async () => {
    const { url } = await serveAnswers(() => ({ status: 201, body: { pin: 87654321, sum: 5 } }));
    const pin = { kind: "header", name: "x-pin", value: "87654321" };
    const result = await admit(url, { auth: pin }).execute(sending);
    expect(result).toEqual({ status: 201, body: { pin: "(hidden)", sum: 5 } });
  });
});

describe("finding out", () => {
  const order = { number: 7, ref: "k-1" };
  const applied = { says: "applied", result: { status: 201, body: order } };
  const sick = { error: "backend down" };
  const failed = { orders: null, errors: [{ message: "backend down" }] };

  test.each([
    ["one in the list", 200, { orders: [order] }, {}, applied],
    ["an empty list", 200, { orders: [] }, {}, { says: "not_found" }],
    ["no list at all", 200, { error: "?" }, { found: "/orders/0" }, { says: "retry" }],
    ["another kind of answer", 200, "hello", {}, { says: "retry" }],
    ["nothing at its place", 200, { orders: [] }, { found: "/orders/0" }, { says: "not_found" }],
    ["the item itself", 200, order, { found: "", ...fitting() }, applied],
    ["nothing, said as null", 200, { orders: null }, {}, { says: "not_found" }],
    ["the whole is null", 200, null, { found: "", ...fitting() }, { says: "not_found" }],
    ["an error where the list would be", 200, sick, fitting(), { says: "retry" }],
    ["an error where the item would be", 200, sick, { found: "/order" }, { says: "retry" }],
    ["an error, not the item", 200, sick, { found: "", ...fitting() }, { says: "retry" }],
    ["an error without its parts", 200, sick, { found: "", ...parts("/id") }, { says: "retry" }],
    ["an error beside null", 200, failed, {}, { says: "retry" }],
    ["an error beside an empty list", 200, { orders: [], ...sick }, {}, { says: "retry" }],
    ["false in its place", 200, { orders: false }, {}, { says: "retry" }],
    ["an empty text in its place", 200, { orders: "" }, {}, { says: "retry" }],
    ["an empty record in its place", 200, { orders: {} }, {}, { says: "retry" }],
    ["an error in its place", 200, { orders: sick }, {}, { says: "retry" }],
    ["an error in the list", 200, { orders: [sick] }, {}, { says: "retry" }],
    ["no errors beside null", 200, { ...failed, errors: [] }, {}, { says: "not_found" }],
    ["an error beside the item", 200, { ...failed, orders: [order] }, {}, applied],
    ["an empty body", 200, undefined, { found: "", ...fitting() }, { says: "retry" }],
    ["several, which one is not said", 200, { orders: [order, order] }, {}, { says: "retry" }],
    ["several, one fits", 200, { orders: [{ ref: "k" }, order] }, fitting(), applied],
    ["none that fits", 200, { orders: [{ ref: "k" }] }, fitting(), { says: "retry" }],
    ["404 at a list", 404, {}, {}, { says: "retry" }],
    ["404 at its own path", 404, {}, ownPath(), { says: "not_found" }],
    ["401", 401, {}, {}, { says: "retry" }],
    ["500", 500, {}, ownPath(), { says: "retry" }],
    ["a redirect", 302, {}, {}, { says: "retry" }],
    [
      "parts of the item",
      200,
      { orders: [order] },
      parts("/number"),
      { says: "applied", result: { status: 201, body: { id: 7 } } },
    ],
    ["an item without a part", 200, { orders: [order] }, parts("/id"), { says: "retry" }],
  ])("[R63, R68] %s", async (_, status, body, more, says) => {
    const { url, seen } = await serveAnswers(() => ({ status, body }));
    const { reconcile } = admit(url, { lookup: { ...orders, ...more }, auth: token() });
    expect(await reconcile(asking)).toMatchObject(says);
    expect(seen.map(({ line }) => line)).toEqual([
      "path" in more ? "GET /orders/by/k-1?ref=k-1" : "GET /orders?ref=k-1",
    ]);
    expect(seen[0]?.headers["authorization"]).toBe("Bearer s3cr3t-token");
  });

  test.each([
    ["a page", "text/html", "<html>be back soon</html>"],
    ["a text", "text/plain", "[]"],
    ["a text that repeats the key", "text/plain", "k-1"],
    ["half of an answer", "application/json", '{"orders":['],
    ["no type", "", "null"],
  ])("[R63, R68] %s says nothing, for it is not JSON", async (_, type, text) => {
    const url = await serve((_request, response) => {
      response.writeHead(200, type === "" ? {} : { "content-type": type }).end(text);
    });
    for (const found of ["", "/orders", "/orders/0"]) {
      const lookup = { ...orders, found, match: { "": "{key}" } };
      const { reconcile } = admit(url, { lookup });
      expect(await reconcile(asking)).toMatchObject({ says: "retry" });
    }
  });

  test("[R63] nobody there is said as such, and without the ref nobody is asked", async () => {
    const away = admit(nowhere, { lookup: orders }).reconcile(asking);
    expect(await failure(away)).toBe("transient, committed no");
    expect(await admit(nowhere, { lookup: byRef() }).reconcile(asking)).toMatchObject({
      says: "retry",
    });
  });

  test.each([429, 502, 503, 504])("[R66] [R150] %i: nobody was asked", async (status) => {
    const { url } = await serveAnswers(() => ({ status }));
    const asked = admit(url, { lookup: orders }).reconcile(asking);
    expect(await failure(asked)).toBe("transient, committed no");
  });

  test("a ref that would lead elsewhere is not looked up", async () => {
    const { url, seen } = await serveAnswers(() => ({ status: 404 }));
    const lookup = { ...byRef(), query: {}, of: "post /orders", path: "/orders/{ref}" };
    for (const ref of ["..", "a/b", "a?b"]) {
      const found = await admit(url, { lookup }, { ref } as object).reconcile(asking);
      expect(found).toMatchObject({ says: ref === "a?b" ? "not_found" : "retry" });
    }
    expect(seen.map(({ line }) => line)).toEqual(["GET /orders/a%3Fb"]);
  });

  function fitting() {
    return { match: { "/ref": "{key}" } };
  }
  function ownPath() {
    return { of: "post /orders", path: "/orders/by/{key}", found: "", ...fitting() };
  }
  function parts(pointer: string) {
    return { body: { id: pointer } };
  }
});
