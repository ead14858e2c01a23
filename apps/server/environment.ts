import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type KeyPlace, keyPlaceOf } from "./seal/key.ts";

/** What the environment says about a start, or why it cannot be followed. */
export type StartOptions = {
  readonly store:
    | { readonly kind: "folder"; readonly folder: string }
    | { readonly kind: "postgres"; readonly url: string };
  readonly accountsFile: string | null;
  readonly secretsFile: string | null;
  readonly keyPlace: KeyPlace;
  readonly token: string | null;
  readonly port: number;
  readonly leaseMs: number;
  readonly capacity: number;
  readonly policyFile: string | null;
  /** Accounts that are told of questions. */
  readonly notify: readonly string[];
  /** Where people reach this host; null = where it listens. */
  readonly publicUrl: string | null;
  /** Absent = nobody said. */
  readonly hostPauseMsMax?: number;
};

const defaults = {
  port: 7_433,
  leaseMs: 15_000,
  capacity: 64,
} as const;

export function readEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): StartOptions | { readonly fault: string } {
  /** An empty variable is what an unset one becomes on its way through other tools. */
  const variable = (name: string) => environment[name] || null;
  const folder = variable("HOLDFAST_DATA");
  const url = variable("HOLDFAST_POSTGRES_URL");
  if (folder !== null && url !== null) {
    return {
      fault:
        `two stores are named: HOLDFAST_DATA is ${folder}, and HOLDFAST_POSTGRES_URL is set too. ` +
        "Nothing was opened. Unset one of them.",
    };
  }
  const port = numberIn(variable("HOLDFAST_PORT"), [0, 65_535], defaults.port);
  const leaseMs = numberIn(variable("HOLDFAST_LEASE_MS"), [200, 600_000], defaults.leaseMs);
  const capacity = numberIn(variable("HOLDFAST_WORKFLOWS"), [1, 10_000], defaults.capacity);
  const hostPauseMsMax = numberIn(variable("HOLDFAST_PAUSE_MS"), [100, 3_600_000], undefined);
  if (hostPauseMsMax === null) return { fault: "HOLDFAST_PAUSE_MS has to be from 100 to 3600000." };
  if (port === null) return { fault: "HOLDFAST_PORT has to be a number from 0 to 65535." };
  if (leaseMs === null) return { fault: "HOLDFAST_LEASE_MS has to be from 200 to 600000." };
  if (capacity === null) return { fault: "HOLDFAST_WORKFLOWS has to be from 1 to 10000." };
  const path = resolve(folder ?? ".holdfast");
  const fileIn = (name: string) => (url === null ? existing(join(path, name)) : null);
  return {
    store: url === null ? { kind: "folder", folder: path } : { kind: "postgres", url },
    accountsFile: variable("HOLDFAST_ACCOUNTS") ?? fileIn("accounts.json"),
    secretsFile: variable("HOLDFAST_SECRETS") ?? fileIn("secrets.json"),
    keyPlace: keyPlaceOf(environment, url === null ? path : null),
    token: variable("HOLDFAST_TOKEN"),
    port,
    leaseMs,
    capacity,
    policyFile: variable("HOLDFAST_POLICY") ?? fileIn("policy.json"),
    notify: (variable("HOLDFAST_NOTIFY") ?? "").split(",").flatMap((name) => name.trim() || []),
    publicUrl: variable("HOLDFAST_PUBLIC_URL"),
    ...(hostPauseMsMax === undefined ? {} : { hostPauseMsMax }),
  };
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
