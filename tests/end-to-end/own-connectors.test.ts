import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { StandInShop, VirtualClock } from "@holdfast/connector-kit/conformance";
import { describe, expect, onTestFinished, test } from "vitest";
import { newFolder } from "./host-process.ts";
import { holdfast, Typed, typed } from "./typed.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(join(root, "docs/connectors.md"), "utf8");

/** The files that the page shows whole, by the names in their first lines. */
const shown = new Map(
  [...page.matchAll(/^```ts\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)].map(([, name = "", code = ""]) => {
    return [name, code] as const;
  }),
);
const connectorFile = "connectors/shop.ts";
const subjectFile = "connectors/shop.conformance.ts";
const configFile = "holdfast.config.ts";

function sourceOf(name: string): string {
  const source = shown.get(name);
  if (source === undefined) throw new Error(`the page has no ${name}`);
  return source;
}

/** A folder of an author, who has nothing of Holdfast installed there. */
function folderWith(files: Readonly<Record<string, string>> = Object.fromEntries(shown)): string {
  const folder = newFolder();
  for (const [name, source] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), source);
  }
  return folder;
}

function withConnector(change: (source: string) => string): Readonly<Record<string, string>> {
  const source = sourceOf(connectorFile);
  const changed = change(source);
  expect(changed).not.toBe(source);
  return { ...Object.fromEntries(shown), [connectorFile]: changed };
}

describe("docs/connectors.md, the whole example", () => {
  test("[R131] its types hold", async () => {
    const folder = folderWith();
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    const { compilerOptions } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8")) as {
      compilerOptions: object;
    };
    const options = { compilerOptions, files: [...shown.keys()] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(options));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    const child = spawn(join(root, "node_modules/.bin/tsc"), ["-p", folder]);
    const [said, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
    expect({ code, said }).toEqual({ code: 0, said: "" });
  });

  test("[R63, R68, R75] one command tries it, and says how and what it has earned", async () => {
    const folder = folderWith();
    const { code, output } = await typed(holdfast, ["conformance", subjectFile], {}, folder);
    expect(output).toContain('shop, booking earns "exactly once by key" in 15 trials.');
    expect(output).toMatch(/^the answer is lost +by its key +applied +1 +2$/m);
    expect(code).toBe(0);
    const words = ["conformance", subjectFile, "--operation", "book", "--json"];
    const answer = await typed(holdfast, words, {}, folder);
    expect(answer.code).toBe(0);
    expect(JSON.parse(answer.output)).toMatchObject({
      earned: true,
      reports: [{ claimed: "exactly once by key", earned: "exactly once by key", faults: [] }],
    });
  });

  test("[R68, R114] broken, it earns nothing, and the command ends with 1", async () => {
    const folder = folderWith(
      withConnector((source) => source.replace('key ?? ""', "String(Math.random())")),
    );
    const words = ["conformance", subjectFile];
    const { code, output } = await typed(holdfast, words, {}, folder);
    expect(output).toContain('shop, booking does not earn "exactly once by key":');
    expect(output).toContain("key_changes: the answer is lost (by its key)");
    expect(code).toBe(1);
    const asJson = await typed(holdfast, [...words, "--json"], {}, folder);
    expect(asJson.code).toBe(1);
    expect(JSON.parse(asJson.output)).toMatchObject({ earned: false, reports: [{ earned: null }] });
  });
});

const script = `
import { workflow } from "@holdfast/sdk";
export default workflow({
  name: "booking",
  connections: { corner: { connector: "shop" } },
  topics: { orders: {} },
  producers: { poll: { manual: true, publishes: ["orders"], handler: async (ctx) => {
    await ctx.publish("orders", { messageId: "one", title: "an order", payload: {} });
  } } },
  consumers: { book: {
    subscribe: ["orders"],
    prepare: async (ctx) => {
      const [event] = await ctx.peek("orders");
      return { reservations: event ? [{ topic: "orders", ids: [event.messageId] }] : [], data: {} };
    },
    mutate: async (ctx) => { await ctx.corner.book({ sum: 7 }); },
  } },
});`;

/** A host in the author's folder, with the script deployed, run once. */
async function work(baseUrl: string) {
  const folder = folderWith();
  // A copy of the kit that is installed there must not be the one that counts.
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const corner = { connector: "shop", baseUrl };
  writeFileSync(join(folder, "accounts.json"), JSON.stringify({ corner }));
  writeFileSync(join(folder, "booking.ts"), script);
  const host = new Typed(holdfast, ["start"], {}, folder);
  await host.said(/API on http/);
  const ask = (...words: readonly string[]) => typed(holdfast, words, {}, folder);
  const deployed = await ask("deploy", "booking.ts", "--allow", "corner.book");
  expect(await ask("workflow", "run-now", "booking")).toMatchObject({ code: 0 });
  const states = async () => {
    const { output } = await ask("mutations", "booking", "--json");
    const { items } = JSON.parse(output) as { items: readonly { readonly state: string }[] };
    return items.map(({ state }) => state);
  };
  return { host, deployed, states };
}

describe("a host with a connector of somebody else", () => {
  test("[R131] deploys, labels and sends with it", async () => {
    const shop = await StandInShop.open({ clock: new VirtualClock(), keyHeader: null });
    onTestFinished(() => shop.close());
    const { host, deployed, states } = await work(`http://127.0.0.1:${shop.port}`);
    expect(deployed).toMatchObject({ code: 0 });
    expect(deployed.output).toContain("It may corner.book: exactly once by key.");
    await expect.poll(states).toEqual(["applied"]);
    expect(shop.changeCount()).toBe(1);
    expect(await host.interrupted()).toBe(0);
  });

  test("[R114] believes what its errors prove: they are of the host's own kit", async () => {
    const server = createServer((_, response) => response.writeHead(400).end());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { host, states } = await work(`http://127.0.0.1:${port}`);
    await expect.poll(states).toEqual(["failed"]);
    expect(await host.interrupted()).toBe(0);
  });
});

const shop = sourceOf(connectorFile);

const faults: readonly (readonly [says: RegExp, connector: string, paths?: string])[] = [
  [
    /the name http is taken by the connector of that name that comes/,
    shop.replace('"shop"', '"http"'),
  ],
  [/the name shop is taken by \S+shop\.ts/, shop, '["connectors/shop.ts", "./connectors/shop.ts"]'],
  [/cannot be read: ENOENT/, shop, '["connectors/other.ts"]'],
  [/it cannot be read: /, "export default {"],
  [/it has no default export/, "export const shop = 1;"],
  [/was not made by defineConnector/, 'export default { name: "shop", connect() {} };'],
  [/a connector cannot be named "Shop"/, shop.replace('"shop"', '"Shop"')],
  [/an operation cannot be named "to-book"/, shop.replace("book: {", '"to-book": {')],
];

test("a module that is no connector, or takes a name that is taken, stops the start", async () => {
  const answers = await Promise.all(
    faults.map(([, connector, paths = '["./connectors/shop.ts"]']) => {
      const config = `export default { port: 0, connectors: ${paths} };`;
      const folder = folderWith({ [connectorFile]: connector, [configFile]: config });
      return typed(holdfast, ["start"], {}, folder);
    }),
  );
  for (const [index, { code, output }] of answers.entries()) {
    expect(output).toMatch(faults[index]?.[0] ?? /never/);
    expect(output).toMatch(/^CONNECTOR_UNUSABLE: /m);
    expect(output).not.toContain("keeps its data in");
    expect(code).toBe(3);
  }
});

const subject = sourceOf(subjectFile);

const untried: readonly (readonly [says: RegExp, code: number, subject: string, ...string[]])[] = [
  [/it is a connector; name the file/, 3, 'export { default } from "./shop.ts";'],
  [/it has no subject/, 3, "export default [];"],
  [
    /subject 2 needs openService, a function/,
    3,
    subject.replace("booking;", "[booking, { ...booking, openService: 1 }];"),
  ],
  [
    /could not be tried: there is no operation sell/,
    3,
    subject.replace('operation: "book"', 'operation: "sell"'),
  ],
  [/could not be tried: baseUrl is missing/, 3, subject.replace(", baseUrl }", " }")],
  [/nothing there tries sell; there is: book/, 2, subject, "--operation", "sell"],
];

test("what cannot be tried has no verdict, and the command says why", async () => {
  const answers = await Promise.all(
    untried.map(([, , source, ...more]) => {
      const folder = folderWith({ ...Object.fromEntries(shown), [subjectFile]: source });
      return typed(holdfast, ["conformance", subjectFile, ...more], {}, folder);
    }),
  );
  for (const [index, { code, output }] of answers.entries()) {
    const [says, wanted] = untried[index] ?? [/never/, -1];
    expect(output).toMatch(says);
    expect(code).toBe(wanted);
  }
});
