import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { hashText } from "@holdfast/core/canonical";
import { expect, onTestFinished, test, vi } from "vitest";
import { HostProcess, newFolder } from "./host-process.ts";
import { Town } from "./town.ts";

const example = fileURLToPath(new URL("../../examples/machines/fetch-notify.ts", import.meta.url));

/** A key pair as an operator makes it; the private half is in a file of that name. */
function newPair(folder: string, name: string) {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  writeFileSync(join(folder, name), pemOf(privateKey));
  const der = publicKey.export({ format: "der", type: "spki" });
  return { listed: der.toString("base64"), keyId: hashText(new Uint8Array(der)) };
}

function pemOf(key: KeyObject): string {
  return String(key.export({ format: "pem", type: "pkcs8" }));
}

/** The shipped program with the keys that its config lists, life after life. */
async function openHost() {
  const town = await Town.start();
  const folder = newFolder();
  const accountsFile = join(folder, "accounts.json");
  const site = { connector: "http", baseUrl: `${town.url}/site`, allowPrivateAddresses: true };
  writeFileSync(accountsFile, JSON.stringify({ site }));
  const store = { kind: "sqlite", folder: join(newFolder(), "data") } as const;
  const config = join(folder, "holdfast.config.ts");
  const environment = { HOLDFAST_CONFIG: config };
  let host: HostProcess | null = null;
  onTestFinished(async () => {
    host?.kill("SIGKILL");
    await town.stop();
  });
  return {
    folder,
    start(executors: object): HostProcess {
      writeFileSync(config, `export default ${JSON.stringify({ executors })};`);
      host = new HostProcess({ store, accountsFile, environment });
      return host;
    },
  };
}

async function fetchOnce(host: HostProcess, messageId: string): Promise<void> {
  const body = { topic: "fetch.start", messageId, payload: { path: `/${messageId}` } };
  await host.api("POST", "/workflows/fetch/commands", { kind: "publish_event", body });
  const path = "/workflows/fetch/machines/state?machine=notify";
  type Cell = { readonly state: { readonly phase: string; readonly path: string } };
  const isDone = async () => {
    const { state } = await host.api<Cell>("GET", path);
    return state.phase === "Done" && state.path === `/${messageId}`;
  };
  await vi.waitUntil(() => isDone().catch(() => false), { timeout: 60_000, interval: 50 });
}

/** Which key signed each receipt, in the order of the journal. */
async function signers(host: HostProcess): Promise<readonly string[]> {
  const { out } = await host.holdfast("machine", "journal", "fetch", "--json");
  return [...out.matchAll(/"(?:key_id|keyId)":"([^"]+)"/g)].map(([, id]) => id ?? "");
}

test("[M.V-12] receipts are signed with the keys that the config lists, old and new", async () => {
  const { folder, start } = await openHost();
  const [one, two] = [newPair(folder, "one.pem"), newPair(folder, "two.pem")];
  const first = start({ http: { publicKeys: [one.listed], keyFile: "one.pem" } });
  expect(await first.holdfast("deploy", example, "--allow", "site.get")).toMatchObject({ code: 0 });
  await fetchOnce(first, "a");
  await first.stop();
  // Another process, the same key: nothing new has to be journaled.
  const again = start({ http: { publicKeys: [one.listed], keyFile: "one.pem" } });
  await fetchOnce(again, "b");
  await again.stop();
  const both = [two.listed, one.listed];
  const rotated = start({ http: { publicKeys: both, keyFile: "two.pem" } });
  await fetchOnce(rotated, "c");
  expect(await signers(rotated)).toEqual([one.keyId, one.keyId, two.keyId]);
  expect(await rotated.holdfast("machine", "replay", "fetch")).toMatchObject({ code: 0 });
  await rotated.stop();
  // The old one is listed no longer; what it signed is still what it was.
  const later = start({ http: { publicKeys: [two.listed], keyFile: "two.pem" } });
  expect(await later.holdfast("machine", "replay", "fetch")).toMatchObject({ code: 0 });
  await later.stop();
});

test("[M.V-12] a host with a key that is not listed, or is another's, does not start", async () => {
  const { folder, start } = await openHost();
  const [one, two] = [newPair(folder, "one.pem"), newPair(folder, "two.pem")];
  const refuses = async (executors: object, why: RegExp) => {
    const host = start(executors);
    expect(await host.ended).toMatchObject({ code: 3 });
    expect(host.output.join("")).toMatch(why);
  };
  const http = { publicKeys: [one.listed], keyFile: "one.pem" };
  await refuses({ http: { ...http, keyFile: "two.pem" } }, /EXECUTORS_UNUSABLE.*none of those/s);
  await refuses({ http, mail: http }, /EXECUTORS_UNUSABLE.*http and mail have the same key/s);
  await refuses({ http: { ...http, publicKeys: ["AAAA"] } }, /EXECUTORS_UNUSABLE.*is none/s);
  await refuses({ http: { ...http, keyFile: "three.pem" } }, /EXECUTORS_UNUSABLE.*cannot be read/s);
  await refuses({ http: { publicKeys: [two.listed] } }, /CONFIG_UNUSABLE.*keyFile/s);
});
