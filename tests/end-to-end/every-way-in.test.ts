import { readFileSync } from "node:fs";
import { commandTree } from "@holdfast/cli/command-tree";
import { inboxKinds } from "@holdfast/core";
import { operations } from "@holdfast/protocol";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  HostProcess,
  newFolder,
  runOffline,
  type StorePlace,
  writeAccounts,
} from "./host-process.ts";
import { bearer, knock } from "./knock.ts";
import { OrderShop } from "./order-shop.ts";
import { deployOrders, publishOrders } from "./story.ts";
import { askedIn, typedIn, waysIn } from "./ways-in.ts";

type Items = { readonly items: readonly Readonly<Record<string, string>>[] };

let shop: OrderShop;
let host: HostProcess;
let store: StorePlace;
let known: { readonly runId: string; readonly mutationId: string; readonly attentionId: string };

/** One order is booked, of the other the answer was lost: there is something of everything. */
beforeAll(async () => {
  shop = await OrderShop.start();
  shop.mood = (applied) => (applied === 0 ? "answers" : "drops the answer");
  const folder = newFolder();
  store = { kind: "sqlite", folder: `${folder}/data` };
  host = new HostProcess({ store, accountsFile: writeAccounts(folder, shop.url) });
  await deployOrders(host);
  await publishOrders(host, ["o-1", "o-2"]);
  const first = async (list: string) => (await host.api<Items>("GET", list)).items[0];
  await vi.waitUntil(() => first("/attention"), { timeout: 20_000 });
  const { runId = "", mutationId = "" } = (await first("/workflows/orders/mutations")) ?? {};
  known = { runId, mutationId, attentionId: (await first("/attention"))?.["attentionId"] ?? "" };
}, 60_000);

afterAll(async () => {
  host?.kill("SIGKILL");
  await shop?.stop();
});

/** What can be typed, every verb of every thing. */
async function allTyped(): Promise<readonly string[]> {
  const program = await commandTree(["*"]);
  type Command = (typeof program.commands)[number];
  const leaves = (command: Command, name: string): readonly string[] =>
    command.commands.length === 0
      ? [name]
      : command.commands.flatMap((each) => leaves(each, `${name} ${each.name()}`.trim()));
  return leaves(program, "").filter((name) => !name.endsWith("help"));
}

/** Words that are typed here, each with the code that it has to end with. */
function typedHere(): Readonly<Record<string, readonly [words: string, code: number]>> {
  const { runId, mutationId, attentionId } = known;
  const event = "orders order.received";
  return {
    "workflow ls": ["", 0],
    "workflow show": ["orders", 0],
    "workflow versions": ["orders", 0],
    "topics ls": ["orders", 0],
    "topics show": [event, 0],
    "topics reset": [event, 3],
    "events ls": ["orders --topic order.received --text o-1", 0],
    "events show": [`${event} o-1`, 0],
    "events publish": [`${event} o-3 {"sum":1} --title Three`, 0],
    publish: [`${event} o-4 {"sum":1}`, 0],
    "events skip": [`${event} o-3`, 0],
    "events reprocess": [`${event} o-3`, 0],
    "inputs ls": ["orders --from 2h", 0],
    "inputs show": ["orders none", 3],
    "inputs skip": ["orders none", 3],
    "inputs reprocess": ["orders none", 3],
    outputs: ["orders --status mutation", 0],
    "producer reset": ["orders poll", 0],
    "runs ls": ["orders --status open", 0],
    "runs show": [`orders ${runId}`, 0],
    "runs retry": [`orders ${runId}`, 3],
    "runs resume": [`orders ${runId}`, 3],
    "runs stop": [`orders ${runId}`, 3],
    "mutations ls": ["orders --status indeterminate", 0],
    "mutations show": [`orders ${mutationId}`, 0],
    why: ["orders", 0],
    trace: [`orders ${runId}`, 0],
    "attention ls": ["", 0],
    "attention answer": [`orders ${attentionId} no_such_answer`, 3],
    policies: ["orders shop.post", 0],
    "connect ls": ["orders", 0],
    "repair ls": ["orders", 0],
    "journal tail": ["orders --limit 3", 0],
    "journal ls": ["orders --kind run --limit 3", 0],
    audit: ["orders --kind publish_event", 0],
    ask: [`orders set_brake {"operation":"*","reason":"by-hand"}`, 0],
    "workflow run-now": ["orders", 3],
    "workflow pause": ["orders", 0],
    "workflow resume": ["orders", 0],
    "workflow archive": ["orders", 3],
    "workflow unarchive": ["orders", 3],
  };
}

describe("the three lists", () => {
  test("every command of the core has its operation of the API and its words to type", async () => {
    expect(Object.keys(waysIn).sort()).toEqual([...inboxKinds].sort());
    const typed = await allTyped();
    for (const [kind, { api, cli, why }] of Object.entries(waysIn)) {
      expect([kind, Object.keys(operations)]).toEqual([kind, expect.arrayContaining([api])]);
      if (cli === null) expect([kind, why?.length]).not.toEqual([kind, undefined]);
      else expect([kind, typed]).toEqual([kind, expect.arrayContaining([cli])]);
    }
  });

  test("every operation and everything that can be typed is tried on a real host", async () => {
    const isRead = (route: string) => {
      const [answer] = Object.values(operations[route]?.answers ?? {});
      return route.startsWith("GET ") && typeof answer !== "string";
    };
    const asked = Object.keys(operations).filter((route) => !isRead(route));
    expect(Object.keys(askedIn).sort()).toEqual(asked.sort());
    for (const [route, file] of Object.entries(askedIn)) {
      const [, path = ""] = route.split(" ");
      const part = path.split("/").findLast((each) => each !== "" && !each.startsWith(":")) ?? "";
      expect([route, readFileSync(file, "utf8")]).toEqual([route, expect.stringContaining(part)]);
    }
    const typed = [...Object.keys(typedIn), ...Object.keys(typedHere())];
    expect(typed.sort()).toEqual([...(await allTyped())].sort());
    for (const [name, file] of Object.entries(typedIn)) {
      const words = name
        .split(" ")
        .map((word) => `"${word}"`)
        .join(", ");
      expect([name, readFileSync(file, "utf8")]).toEqual([name, expect.stringContaining(words)]);
    }
  });
});

describe("what is typed, on a real host", () => {
  test("every command answers in JSON and ends with the code that is written down", async () => {
    const typed = Object.entries(typedHere());
    const looks = typed.filter(([name]) => /(ls|show|versions|tail)$|^(why|trace)$/.test(name));
    const type = async ([name, [words, code]]: (typeof typed)[number]) => {
      const given = [...name.split(" "), ...words.split(" ").filter((word) => word !== "")];
      const ended = await host.holdfast(...given, "--json");
      expect({ name, ...ended }).toMatchObject({ name, code });
      const answer = JSON.parse(ended.out) as { readonly error?: { readonly code: string } };
      expect([name, answer.error?.code !== undefined]).toEqual([name, code !== 0]);
    };
    for (let from = 0; from < looks.length; from += 4) {
      await Promise.all(looks.slice(from, from + 4).map(type));
    }
    for (const each of typed) if (!looks.includes(each)) await type(each);
  });

  test("lists say where they come from, and every verb has an example", async () => {
    const here = await host.holdfast("runs", "ls", "orders", "--limit", "1");
    expect(here.out).not.toContain("read from the store");
    expect((await host.holdfast("workflow", "versions", "orders")).out).toMatch(/1\.0 +yes/);
    const tree = await commandTree(["*"]);
    const undocumented = tree.commands
      .flatMap((each) => each.commands)
      .filter((each) => {
        let help = "";
        each
          .configureOutput({
            writeOut: (text) => {
              help += text;
            },
          })
          .outputHelp();
        return !help.includes("Example");
      });
    expect(undocumented.map((each) => `${each.parent?.name()} ${each.name()}`)).toEqual([]);
  });
});

describe("what is asked of the API, on a real host", () => {
  test("what no other test asks for is answered", async () => {
    const url = await host.url;
    const ask = async (method: string, path: string, body: object = {}) => {
      const headers = { ...bearer("a-token-for-tests"), "content-type": "application/json" };
      const text = method === "DELETE" ? {} : { body: JSON.stringify(body) };
      return knock(url, { method, path: `/api/v1${path}`, headers, ...text });
    };
    expect((await ask("POST", "/accounts/shop/resume")).text).toContain('"items":[]');
    // The file still has it: a restart would bring it back.
    const revoked = await ask("POST", "/accounts/shop/revoke");
    expect([revoked.status, revoked.code]).toEqual([409, "COMMAND_REFUSED"]);
    const preview = { grants: [], preview: true };
    expect((await ask("POST", "/workflows/orders/grants", preview)).status).toBe(200);
    const answer = { answer: "no_such_answer" };
    const refused = await ask("POST", `/workflows/orders/attention/${known.attentionId}`, answer);
    expect([refused.status, refused.code]).toEqual([409, "COMMAND_REFUSED"]);
    const made = await ask("POST", "/tokens", { name: "robot", role: "viewer" });
    expect(made.status).toBe(201);
    expect((await ask("DELETE", "/tokens/robot")).status).toBe(200);
    expect((await ask("DELETE", "/tokens/robot")).status).toBe(409);
  });

  test("without a host the store itself is read, and nothing can be changed", async () => {
    await host.stop();
    const read = await runOffline(store, "runs", "ls", "orders", "--limit", "1");
    expect(read).toMatchObject({
      code: 0,
      out: expect.stringContaining("No host runs; read from"),
    });
    const shown = await runOffline(store, "workflow", "show", "orders", "--json");
    expect(JSON.parse(shown.out)).toMatchObject({ workflow: "orders", version: "1.0" });
    const run = await runOffline(store, "runs", "show", "orders", known.runId, "--json");
    expect(JSON.parse(run.out)).toMatchObject({ runId: known.runId });
    for (const words of [
      ["workflow", "pause", "orders"],
      ["connect", "ls", "orders"],
    ]) {
      const ended = await runOffline(store, ...words);
      expect(ended).toMatchObject({ code: 3, out: expect.stringContaining("HOST_UNREACHABLE") });
    }
  });
});
