import { chmodSync, mkdirSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { HostProcess, newFolder, runOffline, writeAccounts } from "./host-process.ts";
import { places } from "./stores.ts";

type Findings = {
  readonly ok: boolean;
  readonly findings: readonly { readonly what: string; readonly remedy: string | null }[];
};

test("the doctor finds nothing wrong before a first start, beside a host, after it", async () => {
  const store = await places.SQLite();
  const before = await runOffline(store, "doctor");
  expect(before).toMatchObject({ code: 0, out: expect.stringContaining("the first start makes") });
  const accountsFile = writeAccounts(newFolder(), "http://127.0.0.1:9");
  const host = new HostProcess({ store, accountsFile });
  onTestFinished(() => host.kill("SIGKILL"));
  const beside = await host.holdfast("doctor");
  expect(beside.out).toContain(`answers at ${await host.url}`);
  await host.stop();
  const { code, out } = await runOffline(store, "doctor", "--json");
  expect(code).toBe(0);
  const { ok, findings } = JSON.parse(out) as Findings;
  expect(ok).toBe(true);
  const looked = ["Node", "clock", "sandbox", "space", "disk sync", "store", "wedges"];
  expect(findings.map(({ what }) => what)).toEqual(looked);
});

test("the doctor says what is wrong, and what to do", async () => {
  const folder = newFolder();
  const data = join(folder, "data");
  mkdirSync(data);
  const store = { kind: "sqlite", folder: data } as const;
  const made = new HostProcess({
    store,
    accountsFile: writeAccounts(folder, "http://127.0.0.1:9"),
  });
  onTestFinished(() => made.kill("SIGKILL"));
  await made.url;
  await made.stop();
  truncateSync(join(data, "holdfast.db"), 0);
  const damaged = await runOffline(store, "doctor");
  expect(damaged.code).toBe(1);
  expect(damaged.out).toMatch(/WRONG {2}store .*STORE_GONE/);
  // A superuser may write everywhere.
  if (process.getuid?.() === 0) return;
  chmodSync(data, 0o500);
  onTestFinished(() => chmodSync(data, 0o700));
  expect((await runOffline(store, "doctor")).out).toMatch(/WRONG {2}folder/);
});
