import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { policyDefaults } from "@holdfast/core";
import { realTimers, StaleSweep } from "@holdfast/host";
import { openPostgresStore } from "@holdfast/store/postgres";
import { createSchemaDatabase } from "@holdfast/store/testing/postgres";
import { expect, onTestFinished, test } from "vitest";
import { HostProcess, newFolder, writeAccounts } from "./host-process.ts";
import { deployOrders, publishOrders } from "./story.ts";

type Question = { readonly attentionId: string; readonly note: string; readonly answer: string };

const timings = { staleInputMs: 1 };

test("[R23, R161] what another host sees is stale is asked, shown and taken note of", async () => {
  const { url, drop } = await createSchemaDatabase();
  onTestFinished(drop);
  const folder = newFolder();
  const policyFile = join(folder, "policy.json");
  writeFileSync(policyFile, JSON.stringify({ all: timings }));
  const host = new HostProcess({
    store: { kind: "postgres", url },
    accountsFile: writeAccounts(folder, "http://127.0.0.1:9"),
    environment: { HOLDFAST_POLICY: policyFile },
  });
  onTestFinished(() => host.kill("SIGKILL"));
  await deployOrders(host);
  const commands = "/workflows/orders/commands";
  await host.api("POST", commands, { kind: "pause_workflow", body: {} });
  await publishOrders(host, ["o-1"]);
  const store = await openPostgresStore({ url, newIncarnation: () => "unused" });
  onTestFinished(() => store.close());
  const look = () =>
    new StaleSweep({
      store,
      incarnation: "another",
      clock: { now: () => Date.now() },
      timers: realTimers,
      policy: policyDefaults,
      policyOf: () => ({ ...policyDefaults, ...timings }),
      mayAct: () => true,
      onTrouble: (cause) => expect(cause).toBeNull(),
    }).sweep();
  const questions = async (status: "open" | "closed") => {
    const path = `/workflows/orders/attention?status=${status}`;
    return (await host.api<{ items: readonly Question[] }>("GET", path)).items;
  };
  await look();
  await expect.poll(async () => (await questions("open")).length, { timeout: 30_000 }).toBe(1);
  const [{ attentionId = "", note = "" } = {}] = await questions("open");
  const [, workflow = "", inputId = ""] = /`holdfast why (\S+) (\S+)`/.exec(note) ?? [];
  const { out: why } = await host.holdfast("why", workflow, inputId);
  expect(why).toContain("paused");
  const { out: shown } = await host.holdfast("attention", "show", "orders", attentionId);
  expect(shown).toContain("It is not asked again about this input.");
  // A person cannot say it, whatever their role.
  const body = { inputId, count: 1, isMore: false };
  await expect(host.api("POST", commands, { kind: "note_stale", body })).rejects.toThrow(
    /There is no command note_stale|ROLE_TOO_LOW/,
  );
  const answer = ["attention", "answer", "orders", attentionId, "acknowledge"];
  const answered = await host.holdfast(...answer);
  expect(answered).toMatchObject({ code: 0 });
  await look();
  expect([await questions("open"), (await questions("closed")).map((each) => each.answer)]).toEqual(
    [[], ["acknowledge"]],
  );
  await host.stop();
});
