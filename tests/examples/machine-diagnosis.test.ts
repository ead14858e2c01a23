/** examples/machines/trace-failures.ts on a host: each way to fail has its own diagnosis. */
import { readFileSync } from "node:fs";
import { contentHash, encodeCanonical } from "@holdfast/core";
import type { EffectDeclaration } from "@holdfast/core/machine";
import { replayMachines, traceMachines } from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStores } from "../engine/open-stores.ts";
import { Fails, HostDies, ScriptedWorld } from "../engine/scripted-world.ts";
import { WorkflowInTest } from "../engine/workflow-in-test.ts";

const place = new URL("../../examples/machines/trace-failures.ts", import.meta.url);

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 1 });
});
afterAll(() => sandbox.close());

const text = { type: "text" } as const;
const get: EffectDeclaration = {
  name: "http/get@1",
  kind: "read",
  params: { type: "record", fields: { connection: text, path: text } },
  receipt: { type: "record", fields: { status: { type: "nat" } } },
  error: null,
  executor: { module: "http", moduleHash: contentHash("http 1"), entrypoint: "get" },
};

describe.each(Object.entries(openStores))("trace-failures on %s", (_, open) => {
  test("[M.K7.8-4] [M.K7.8-5] each way to fail is told from the others", async () => {
    const clock = { now: 1_000_000 };
    const store = await open(() => clock.now);
    let dies = true;
    const world = new ScriptedWorld({
      site: {
        get: {
          kind: "read:byId",
          answer: ({ path }) => {
            if (path === "/no") throw new Fails("logic", "it said no");
            if (path === "/late" && dies) throw new HostDies();
            return { status: 200 };
          },
        },
      },
    });
    const parts = { store, sandbox, world, clock, effects: [get] };
    const it = await WorkflowInTest.create(parts, readFileSync(place, "utf8"));
    const look = async (id: string) => {
      const payload = encodeCanonical({ id, path: `/${id}` });
      const event = { topic: "look.start", messageId: id, payload, title: null };
      await it.command("publish_event", event);
      await it.live();
    };
    for (const id of ["yes", "no", "late"]) await look(id);
    dies = false;
    clock.now += 120_000;
    await it.live();
    const machines = {
      store,
      workflow: it.workflow,
      loadScript: async (hash: string) => it.scriptOf(hash),
    };
    const found = async (id: string) => {
      const query = { by: "value", topic: "look.start", path: "id", value: id } as const;
      const trace = await traceMachines(machines, query);
      const { cause, intentId, next } = trace?.diagnosis ?? {};
      expect(next).not.toBe("");
      return [trace?.state, cause, intentId === null ? "no intent" : "by its intent"];
    };
    expect(await found("yes")).toEqual(["completed", "completed", "no intent"]);
    expect(await found("no")).toEqual(["waiting_event", "adapter_error", "by its intent"]);
    expect(await found("late")).toEqual(["waiting_event", "adapter_timeout", "by its intent"]);
    expect(await replayMachines(machines)).toMatchObject({ ok: true });
    await it.expectSound();
  });
});
