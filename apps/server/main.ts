import { randomUUID } from "node:crypto";
import type { Connector } from "@holdfast/connector-kit";
import { http, mail, webhook } from "@holdfast/connectors";
import { HostError, type Store } from "@holdfast/core";
import { useListedKeys } from "@holdfast/host";
import { Sandbox, Workshop } from "@holdfast/sandbox";
import { openSqliteStore } from "@holdfast/store/sqlite";
import type { TokenEntry } from "./access/access-book.ts";
import { openAccess } from "./access/open-access.ts";
import { forgetOwnToken } from "./access/own-token.ts";
import { readAccounts } from "./accounts.ts";
import { readConfig } from "./config/read-config.ts";
import { readConnectors } from "./connectors/read-connectors.ts";
import { readEnvironment, type StartOptions } from "./environment.ts";
import { type ExecutorsPlace, readExecutors } from "./executors.ts";
import { Host } from "./host.ts";
import { log } from "./host-log.ts";
import { forgetUrl, noteUrl } from "./host-note.ts";
import { admitPlace, type Doorway } from "./listen.ts";
import { lookFirst } from "./look-first.ts";
import { sinksNamed } from "./notify/sinks.ts";
import { readPolicies } from "./policies.ts";
import { reporter } from "./reporter.ts";
import { readSecrets } from "./secrets.ts";
import { readTelemetry, type TelemetryOptions } from "./telemetry/read-telemetry.ts";
import { Telemetry } from "./telemetry/telemetry.ts";

/** The only place that names concrete parts. */
const ours = { http, mail, webhook };

const help = `Usage: holdfast start [--check] [--insecure-listen]

Opens the store, verifies it from the last checkpoint, then works until it is stopped
(Ctrl-C, or SIGTERM). With --check it ends after verifying.

holdfast.config.ts in this folder, or the file in HOLDFAST_CONFIG, may say the same; what the
environment says wins (docs/operating/host.md).

Environment:
  HOLDFAST_DATA          data folder of a store on SQLite (default .holdfast)
  HOLDFAST_POSTGRES_URL  postgres://user@host:5432/database, for a store on PostgreSQL instead
  PGPASSWORD             its password; or PGPASSFILE, a file such as ~/.pgpass
  PGHOST, PGPORT, PGUSER, PGDATABASE, PGSSLMODE
                         what HOLDFAST_POSTGRES_URL leaves out
  HOLDFAST_LISTEN        address of the API (default 127.0.0.1); another one needs TLS, or
                         --insecure-listen
  HOLDFAST_PORT          its port (default 7433; 0 = any that is free)
  HOLDFAST_TLS_CERT, HOLDFAST_TLS_KEY
                         files with a certificate and its key, as PEM
  HOLDFAST_NAMES         names under which others reach this host, beside HOLDFAST_PUBLIC_URL
  HOLDFAST_TOKEN         token of an admin, for as long as this process lives
  HOLDFAST_TOKENS        file that holds who has a token (default: tokens.json in the data folder)
  HOLDFAST_ACCOUNTS      file with the accounts scripts may use (default: accounts.json in there)
  HOLDFAST_SECRETS       file with secrets of webhooks and calls (default: secrets.json in there)
  HOLDFAST_KEY           key of what is sealed in them, or HOLDFAST_KEY_FILE, a file that holds it
                         (default: the file "key" in the data folder)
  HOLDFAST_NOTIFY        accounts of webhook or mail that are told of questions
  HOLDFAST_EXECUTORS     file with the keys that receipts of machines are signed with
  HOLDFAST_PUBLIC_URL    where people reach this host (default: where it listens)
  HOLDFAST_WORKFLOWS     how many workflows are worked for at once (default 64)
  HOLDFAST_LEASE_MS      how long work of a host that died lies (default 15000)
  OTEL_EXPORTER_OTLP_ENDPOINT
                         where traces and metrics are told (docs/operating/telemetry.md)
  HOLDFAST_LOG           text (default), or json: an object in each line, with ids
  HOLDFAST_PAUSE_MS      longest that a machine may let this process stand still (default 60000)

\`npx holdfast --help\` lists the commands beside it.`;

/** Nothing was opened: what the environment says has to be said otherwise. */
function refuseUsage(message: string): number {
  console.error(`error: ${message}`);
  return 2;
}

async function run(words: readonly string[]): Promise<number> {
  if (words.some((word) => word === "--help" || word === "-h")) {
    console.log(help);
    return 0;
  }
  const unknown = words.find((word) => word !== "--check" && word !== "--insecure-listen");
  if (unknown !== undefined) return refuseUsage(`there is no ${unknown}; see --help`);
  const config = await readConfig(process.env, process.cwd());
  const said = Object.entries(process.env).filter(([, value]) => value);
  const options = readEnvironment({ ...config?.variables, ...Object.fromEntries(said) });
  if ("fault" in options) return refuseUsage(options.fault);
  heedByLibraries(config?.variables ?? {});
  const telemetry = readTelemetry(process.env);
  if (telemetry !== null && "fault" in telemetry) return refuseUsage(telemetry.fault);
  const doorway = admitPlace(options.listen, words.includes("--insecure-listen"));
  const connectors = await readConnectors(config?.connectors ?? [], ours);
  const opened = await open(options);
  if ("fault" in opened) return refuseUsage(opened.fault);
  const { store, place } = opened;
  try {
    log.speak(options.log, { process: process.pid, store: store.storeIncarnation });
    log.say(`Holdfast keeps its data in ${place}`);
    if (!(await lookFirst(store))) return 1;
    if (words.includes("--check")) return 0;
    const { policies = null, executors = null } = config ?? {};
    return await work(store, { ...options, policies, executors, connectors, telemetry }, doorway);
  } finally {
    await store.close();
  }
}

/** Where telemetry goes is read by its own libraries, from the environment alone. */
function heedByLibraries(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (name.startsWith("OTEL_")) process.env[name] = value;
  }
}

type OpenedStore = { readonly store: Store; readonly place: string } | { readonly fault: string };

async function open({ store }: StartOptions): Promise<OpenedStore> {
  if (store.kind === "folder") {
    const { folder } = store;
    const clock = () => Date.now();
    const opened = await openSqliteStore({ folder, clock, newIncarnation: randomUUID });
    return { store: opened, place: folder };
  }
  const { url } = store;
  // Much code, which a host on SQLite can do without.
  const { openPostgresStore, readPostgresAddress } = await import("@holdfast/store/postgres");
  const address = readPostgresAddress(url);
  if ("fault" in address) {
    const fault =
      `the address in HOLDFAST_POSTGRES_URL cannot be used: ${address.fault}. ` +
      "Correct it; write special characters in it as %xx.";
    return { fault };
  }
  const opened = await openPostgresStore({ url, newIncarnation: randomUUID });
  return { store: opened, place: address.place };
}

type WorkOptions = StartOptions & {
  readonly executors: ExecutorsPlace | null;
  readonly policies: object | null;
  readonly connectors: Readonly<Record<string, Connector>>;
  readonly telemetry: TelemetryOptions | null;
};

async function work(store: Store, options: WorkOptions, doorway: Doorway): Promise<number> {
  const { accountsFile, secretsFile, policyFile, hostPauseMsMax, keyPlace } = options;
  const accounts = readAccounts(accountsFile, options.connectors, keyPlace);
  const secrets = readSecrets(secretsFile, keyPlace);
  const { executorsFile: file, executors } = options;
  const { listed, remote } = readExecutors(file === null ? executors : { file });
  useListedKeys(listed);
  const policies = readPolicies(options.policies ?? policyFile, { hostPauseMsMax });
  const folder = options.store.kind === "folder" ? options.store.folder : null;
  const { access, said } = openAccess({ ...options, folder });
  const onAccess = (text: string) => log.say(text);
  const onRevoked = (entry: TokenEntry) => folder !== null && forgetOwnToken(folder, entry);
  const complain = (line: string) => log.complain(line);
  const telemetry = options.telemetry && (await Telemetry.open(options.telemetry, complain));
  const sandbox = await Sandbox.open();
  try {
    const { lost, observer } = reporter();
    const workshop = new Workshop(sandbox, accounts.known);
    const sinks = sinksNamed(accounts, options.notify);
    const host = await Host.start({
      ...options,
      ...{ store, workshop, accounts, secrets, observer, policies, sinks },
      ...{ access, onAccess, onRevoked, doorway, telemetry, remote },
    });
    // Whoever reads that it works may stop it at once.
    const asked = stopAsked();
    if (folder !== null) noteUrl(folder, host.url);
    log.say(`Working as process ${process.pid}. API on ${host.url}`, { url: host.url });
    for (const line of said(options.publicUrl ?? host.url)) log.say(line);
    const reason = await Promise.race([asked, lost]);
    log.say(reason.text);
    await host.stop();
    if (folder !== null) forgetUrl(folder);
    return reason.exitCode;
  } finally {
    await telemetry?.close();
    await sandbox.close();
  }
}

type EndReason = { readonly text: string; readonly exitCode: number };

/** A second signal ends the process at once: everything acknowledged is durable anyway. */
async function stopAsked(): Promise<EndReason> {
  const signal = await new Promise<string>((resolve) => {
    for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, resolve);
  });
  return { text: `${signal}: finishing what runs, then stopping`, exitCode: 0 };
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  if (error instanceof HostError) log.refuse(error.message, error.code);
  else log.broke(error);
  process.exitCode = 3;
}
