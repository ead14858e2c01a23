import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type LogForm, logForms } from "./host-log.ts";
import type { ListenPlace } from "./listen.ts";
import { type KeyPlace, keyPlaceOf } from "./seal/key.ts";

/** What the environment says about a start, or why it cannot be followed. */
export type StartOptions = {
  readonly store:
    | { readonly kind: "folder"; readonly folder: string }
    | { readonly kind: "postgres"; readonly url: string };
  readonly accountsFile: string | null;
  readonly secretsFile: string | null;
  readonly keyPlace: KeyPlace;
  /** Of an admin, for as long as this process lives. */
  readonly token: string | null;
  /** Null = there is no folder, and nobody named a file: tokens end with the process. */
  readonly tokensFile: string | null;
  readonly listen: ListenPlace;
  /** Under which others know this host. */
  readonly names: readonly string[];
  readonly leaseMs: number;
  readonly capacity: number;
  readonly policyFile: string | null;
  /** Null = executors sign with keys of this process. */
  readonly executorsFile: string | null;
  /** Accounts that are told of questions. */
  readonly notify: readonly string[];
  /** Where people reach this host; null = where it listens. */
  readonly publicUrl: string | null;
  readonly log: LogForm;
  /** Absent = nobody said. */
  readonly hostPauseMsMax?: number;
};

const defaults = {
  address: "127.0.0.1",
  port: 7_433,
  leaseMs: 15_000,
  capacity: 64,
} as const;

/** Least and most of each number. */
export const numberRanges = {
  HOLDFAST_PORT: [0, 65_535],
  HOLDFAST_LEASE_MS: [200, 600_000],
  HOLDFAST_WORKFLOWS: [1, 10_000],
  HOLDFAST_PAUSE_MS: [100, 3_600_000],
} as const;

/** Shorter ones can be guessed. */
const tokenCharsMin = 16;

export function readEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): StartOptions | { readonly fault: string } {
  /** An empty variable is what an unset one becomes on its way through other tools. */
  const variable = (name: string) => environment[name] || null;
  const listed = (name: string) =>
    (variable(name) ?? "").split(",").flatMap((each) => each.trim() || []);
  const folder = variable("HOLDFAST_DATA");
  const url = variable("HOLDFAST_POSTGRES_URL");
  if (folder !== null && url !== null) {
    return {
      fault:
        `two stores are named: HOLDFAST_DATA is ${folder}, and HOLDFAST_POSTGRES_URL is set too. ` +
        "Nothing was opened. Unset one of them.",
    };
  }
  const number = <T extends number | undefined>(name: keyof typeof numberRanges, otherwise: T) =>
    numberIn(variable(name), numberRanges[name], otherwise);
  const port = number("HOLDFAST_PORT", defaults.port);
  const leaseMs = number("HOLDFAST_LEASE_MS", defaults.leaseMs);
  const capacity = number("HOLDFAST_WORKFLOWS", defaults.capacity);
  const hostPauseMsMax = number("HOLDFAST_PAUSE_MS", undefined);
  if (hostPauseMsMax === null) return { fault: "HOLDFAST_PAUSE_MS has to be from 100 to 3600000." };
  if (port === null) return { fault: "HOLDFAST_PORT has to be a number from 0 to 65535." };
  if (leaseMs === null) return { fault: "HOLDFAST_LEASE_MS has to be from 200 to 600000." };
  if (capacity === null) return { fault: "HOLDFAST_WORKFLOWS has to be from 1 to 10000." };
  const form = variable("HOLDFAST_LOG") ?? "text";
  const log = logForms.find((each) => each === form);
  if (log === undefined) return { fault: "HOLDFAST_LOG has to be text or json." };
  const token = variable("HOLDFAST_TOKEN");
  if (token !== null && token.length < tokenCharsMin) {
    return { fault: `HOLDFAST_TOKEN has to have ${tokenCharsMin} characters or more.` };
  }
  const path = resolve(folder ?? ".holdfast");
  const fileIn = (name: string) => (url === null ? existing(join(path, name)) : null);
  return {
    store: url === null ? { kind: "folder", folder: path } : { kind: "postgres", url },
    accountsFile: variable("HOLDFAST_ACCOUNTS") ?? fileIn("accounts.json"),
    secretsFile: variable("HOLDFAST_SECRETS") ?? fileIn("secrets.json"),
    keyPlace: keyPlaceOf(environment, url === null ? path : null),
    token,
    tokensFile: variable("HOLDFAST_TOKENS") ?? (url === null ? join(path, "tokens.json") : null),
    listen: {
      address: variable("HOLDFAST_LISTEN") ?? defaults.address,
      port,
      certFile: variable("HOLDFAST_TLS_CERT"),
      keyFile: variable("HOLDFAST_TLS_KEY"),
    },
    names: [...listed("HOLDFAST_NAMES"), ...nameIn(variable("HOLDFAST_PUBLIC_URL"))],
    leaseMs,
    capacity,
    executorsFile: variable("HOLDFAST_EXECUTORS"),
    policyFile: variable("HOLDFAST_POLICY") ?? fileIn("policy.json"),
    notify: listed("HOLDFAST_NOTIFY"),
    publicUrl: variable("HOLDFAST_PUBLIC_URL"),
    log,
    ...(hostPauseMsMax === undefined ? {} : { hostPauseMsMax }),
  };
}

/** Where people reach the host is a name of it. */
function nameIn(publicUrl: string | null): readonly string[] {
  return publicUrl !== null && URL.canParse(publicUrl) ? [new URL(publicUrl).hostname] : [];
}

function existing(path: string): string | null {
  return existsSync(path) ? path : null;
}

function numberIn<T extends number | undefined>(
  text: string | null,
  [least, most]: readonly [number, number],
  otherwise: T,
): number | T | null {
  if (text === null) return otherwise;
  const value = Number(text);
  return Number.isInteger(value) && value >= least && value <= most ? value : null;
}
