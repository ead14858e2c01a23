import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { HostProcess, newFolder, verifyFull } from "./host-process.ts";
import { Office } from "./office.ts";
import { places } from "./stores.ts";

const script = readFileSync(new URL("./mail-to-rows.js.txt", import.meta.url), "utf8");
const mailsPerLook = 250;
/** The whole story once; on the other store enough of it to see that it is the same. */
const mailsOn: Readonly<Record<string, number>> = { SQLite: 1_000, PostgreSQL: 250 };

type Items<T> = { readonly items: readonly T[]; readonly next: string | null };

/** Every page of a list. */
async function all<T>(host: HostProcess, path: string): Promise<readonly T[]> {
  const items: T[] = [];
  for (let after: string | null = ""; after !== null; ) {
    const query: string = after === "" ? "" : `&after=${encodeURIComponent(after)}`;
    const page: Items<T> = await host.api("GET", `${path}&limit=500${query}`);
    items.push(...page.items);
    after = page.next;
  }
  return items;
}

describe.each(Object.entries(places))("the workflow of the seeds, on %s", (name, newStore) => {
  const mails = mailsOn[name] ?? 0;
  const reports = Math.floor(mails / 100);

  test("[R145, R21, R22] takes mails to rows and reports, and tells the story", {
    timeout: 240_000,
  }, async () => {
    const office = await Office.start({ mails });
    onTestFinished(() => office.stop());
    const folder = newFolder();
    const account = { connector: "http", baseUrl: office.url, allowPrivateAddresses: true };
    const accountsFile = join(folder, "accounts.json");
    writeFileSync(accountsFile, JSON.stringify({ mail: account, sheet: account }));
    const store = await newStore();
    const host = new HostProcess({ store, accountsFile });
    onTestFinished(() => host.kill("SIGKILL"));

    const file = join(folder, "mail-to-rows.js");
    writeFileSync(file, script);
    const deployed = await host.holdfast("deploy", file, "--allow", "mail.list", "sheet.post");
    expect(deployed.out).toContain("mail-to-rows 1.0 is active.");
    for (let look = 1; look <= mails / mailsPerLook; look++) {
      await expect
        .poll(() => host.holdfast("workflow", "run-now", "mail-to-rows").then(({ code }) => code), {
          timeout: 120_000,
        })
        .toBe(0);
      const rows = () => office.written.filter(({ path }) => path === "/rows").length;
      await expect.poll(rows, { timeout: 120_000 }).toBe(look * mailsPerLook);
    }
    await expect.poll(() => office.written.length, { timeout: 60_000 }).toBe(mails + reports);

    const ids = office.written.map(({ path, id }) => `${path} ${id}`);
    expect(new Set(ids).size).toBe(ids.length);
    const path = "/workflows/mail-to-rows";
    const done = () => all<{ outputsDone: number }>(host, `${path}/inputs?status=done`);
    await expect.poll(async () => (await done()).length, { timeout: 60_000 }).toBe(reports * 100);
    expect((await done()).every(({ outputsDone }) => outputsDone >= 2)).toBe(true);
    const outputs = await all<{ inputs: readonly object[]; target: string }>(
      host,
      `${path}/outputs?status=mutation`,
    );
    const countOf = (end: string) => outputs.filter(({ target }) => target.includes(end)).length;
    expect([countOf("/rows"), countOf("/reports")]).toEqual([mails, reports]);
    const inputsOf = outputs.map(({ inputs }) => inputs.length);
    expect(inputsOf.reduce((sum, count) => sum + count, 0)).toBe(mails + reports * 100);
    expect((await host.holdfast("why", "mail-to-rows", "7")).out).toMatch(/Mail 7|email\.received/);
    expect(await host.api("GET", `${path}/wedges`)).toEqual({ items: [] });
    expect(await host.stop()).toMatchObject({ code: 0 });
    expect((await verifyFull(store)).out).toContain("nothing differs");
  });
});
