import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { HostProcess, newFolder } from "./host-process.ts";
import { places } from "./stores.ts";

const base = { connector: "http", baseUrl: "https://shop.example" };
const lookup = { path: "/orders", query: { ref: "{ref}" }, found: "/orders", status: 201 };
const accounts = {
  byKey: { ...base, idempotency: { header: "Idempotency-Key", retentionMs: 60_000 } },
  byLookup: { ...base, lookup },
  hook: { connector: "webhook", url: "https://hook.example", secret: "sixteen characters" },
};

const used = ["byKey.post", "byKey.put", "byLookup.post", "hook.send"];

const script = `
  import { workflow } from "@holdfast/sdk";
  export default workflow({
    name: "labels",
    connections: {
      byKey: { connector: "http", account: "byKey" },
      byLookup: { connector: "http", account: "byLookup" },
      hook: { connector: "webhook", account: "hook" },
    },
    topics: { a: {} },
    producers: { poll: { manual: true, publishes: ["a"], handler: async (ctx) => {
      await ctx.byKey.list({ path: "/orders" });
    } } },
    consumers: {
      all: {
        subscribe: ["a"],
        prepare: async () => ({ reservations: [], data: {} }),
        mutate: async (ctx, { data }) => {
          if (data.one) return void (await ctx.byKey.post({ path: "/orders" }));
          if (data.two) return void (await ctx.byKey.put({ path: "/orders/1" }));
          if (data.three) return void (await ctx.byLookup.post({ path: "/orders" }));
          await ctx.hook.send({ event: "a", data: {} });
        },
      },
    },
  });`;

test("[R131] deploying tells what each change can rely on when an answer is lost", async () => {
  const folder = newFolder();
  const accountsFile = join(folder, "accounts.json");
  const file = join(folder, "labels.ts");
  writeFileSync(accountsFile, JSON.stringify(accounts));
  writeFileSync(file, script);
  const host = new HostProcess({ store: await places.SQLite(), accountsFile });
  onTestFinished(() => host.kill("SIGKILL"));
  const words = ["deploy", file, "--allow", ...used, "byKey.list"];
  for (const more of [["--preview"], []]) {
    const { code, out } = await host.holdfast(...words, ...more);
    expect(code, out).toBe(0);
    expect(
      out
        .split("\n")
        .filter((line) => line.startsWith("It may"))
        .sort(),
    ).toEqual([
      "It may byKey.post: exactly once by key.",
      "It may byKey.put: at most once, asks you.",
      "It may byLookup.post: at most once, verified (post /orders with a ref); " +
        "at most once, asks you (all else).",
      "It may hook.send: at most once, asks you.",
    ]);
  }
  const { out } = await host.holdfast(...words, "--json");
  const { mutations } = JSON.parse(out) as { mutations: readonly { operation: string }[] };
  expect(mutations.map(({ operation }) => operation).sort()).toEqual(used);
  await host.stop();
});
