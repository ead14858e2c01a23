import { connect } from "node:net";
import { knock } from "../end-to-end/knock.ts";
import { anything, fromSchema, type Schema, SeededRandom } from "./from-schema.ts";

type Described = {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
};

type Description = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

export type FuzzOptions = {
  readonly url: string;
  /** Each may be shown; null = none is. */
  readonly tokens: readonly (string | null)[];
  /** What there is, so that not everything is unknown. */
  readonly names: readonly string[];
  readonly count: number;
  readonly seed: number;
  /** Looks at every answer; what it says is wrong. */
  readonly judge: (asked: Asked, answer: Answer) => string | null;
};

export type Asked = {
  readonly method: string;
  readonly path: string;
  readonly token: string | null;
  readonly body: string | undefined;
};
export type Answer = { readonly status: number; readonly text: string; readonly code: string };

export type FuzzReport = {
  readonly statuses: Readonly<Record<number, number>>;
  readonly faults: readonly string[];
};

const faultsMax = 10;
const atOnce = 16;
const hostTricks = ["evil.example", "", "127.0.0.1:1", "localhost\tx", "a".repeat(300)];

/** Schema-derived and random requests at every route of a running host. */
export async function fuzzApi(options: FuzzOptions): Promise<FuzzReport> {
  const { url, count, seed, judge } = options;
  const read = await knock(url, { path: "/api/v1/openapi.json" });
  const description = JSON.parse(read.text) as Description;
  const statuses: Record<number, number> = {};
  const faults: string[] = [];
  const one = async (no: number) => {
    const random = new SeededRandom(seed * 1_000_003 + no);
    if (random.below(200) === 0) return garbage(url, random);
    const { asked, headers } = request(random, description, options);
    const { method, path, body } = asked;
    const given = { method, path, headers, ...(body === undefined ? {} : { body }) };
    const answer = await knock(url, given).catch((error: unknown) => {
      // What is no HTTP is cut off; that the host lives is seen by the next.
      return { status: 0, text: String(error), code: "" };
    });
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    const fault = judge(asked, answer);
    if (fault !== null && faults.length < faultsMax) {
      faults.push(`${seed}/${no} ${method} ${path} ${body?.slice(0, 300) ?? ""}: ${fault}`);
    }
  };
  let next = 0;
  const runs = Array.from({ length: atOnce }, async () => {
    while (next < count) await one(next++);
  });
  await Promise.all(runs);
  return { statuses, faults };
}

function request(random: SeededRandom, description: Description, options: FuzzOptions) {
  const routes = Object.entries(description.paths).flatMap(([pattern, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ pattern, method, described })),
  );
  const isWanted = ({ pattern }: { pattern: string }) =>
    // A stream does not end, and packing a script is slow: now and then is enough.
    pattern !== "/api/v1/live" && (pattern !== "/api/v1/versions" || random.below(30) === 0);
  const { pattern, method, described } = random.pick(routes.filter(isWanted));
  const path = `${filled(random, pattern, options.names)}${search(random, described)}`;
  const token = random.pick(options.tokens);
  const body = method === "get" ? undefined : bodyOf(random, described, description);
  const asked = { method: method.toUpperCase(), path, token, body };
  return { asked, headers: headersOf(random, token) };
}

function filled(random: SeededRandom, pattern: string, names: readonly string[]): string {
  return pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name === "name") return `nobody-${random.below(5)}`;
    const text = random.below(4) === 0 ? String(anything(random)) : random.pick(names);
    const isRaw = random.below(30) === 0 && /^[\x21-\x7e]+$/.test(text);
    return isRaw ? text.replaceAll(/[?#]/g, "") : encodeURIComponent(text.toWellFormed());
  });
}

function search(random: SeededRandom, { parameters = [] }: Described): string {
  const asked = parameters.filter((each) => each.in === "query" && random.below(3) === 0);
  const pairs = asked.map(({ name }) => {
    const value = random.below(2) === 0 ? String(random.below(60)) : String(anything(random));
    return `${name}=${encodeURIComponent(value.toWellFormed())}`;
  });
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function bodyOf(random: SeededRandom, described: Described, description: Description): string {
  const way = random.below(12);
  if (way === 0) return "{".repeat(random.below(5_000));
  if (way === 1) return JSON.stringify(anything(random)) ?? "";
  if (way === 2) return `{"a":${"[".repeat(3_000)}${"]".repeat(3_000)}}`;
  const [media] = Object.values(described.requestBody?.content ?? {});
  if (media === undefined) return JSON.stringify(anything(random)) ?? "";
  const schema = inlined(media.schema, description);
  return JSON.stringify(fromSchema(random, schema)) ?? "";
}

function inlined(schema: Schema, { components }: Description): Schema {
  const name = schema.$ref?.split("/").at(-1);
  return name === undefined ? schema : (components.schemas[name] ?? {});
}

function headersOf(random: SeededRandom, token: string | null): Record<string, string> {
  const oneIn = (count: number) => random.below(count) === 0;
  return {
    "content-type": oneIn(20) ? "text/plain" : "application/json",
    "holdfast-wait-ms": oneIn(20) ? "soon" : "0",
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(oneIn(4) ? { "idempotency-key": `key-${random.below(50)}` } : {}),
    ...(oneIn(10) ? { "if-match": random.pick(['"1"', "*", "x", '""', "active"]) } : {}),
    ...(oneIn(40) ? { host: random.pick(hostTricks).replaceAll(/\t/g, "") } : {}),
    ...(oneIn(40) ? { cookie: "holdfast_visit=../../x; holdfast=%00" } : {}),
    ...(oneIn(60) ? { "x-long": "y".repeat(10_000) } : {}),
    ...(oneIn(60) ? { "x-http-method-override": "DELETE", "x-forwarded-for": "1.1.1.1" } : {}),
  };
}

/** Bytes that are no HTTP, or the beginning of some that never ends. */
async function garbage(url: string, random: SeededRandom): Promise<void> {
  const { hostname, port } = new URL(url);
  const lines = [
    "GET / HTTP/9.9\r\n\r\n",
    "\u0000\u0001\u0002\r\n\r\n",
    "POST /api/v1/brake HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ncontent-length: 9\r\n\r\nabc",
    "POST /api/v1/brake HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n",
    "GET /health HTTP/1.1\r\nhost: x\r\nx",
  ];
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on("error", () => {});
  await new Promise<void>((resolve) => {
    socket.once("close", () => resolve()).once("data", () => socket.destroy());
    socket.once("connect", () => socket.end(random.pick(lines)));
  });
}
