import { existsSync } from "node:fs";
import { registerHooks } from "node:module";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { HostError, policyDefaults } from "@holdfast/core";
import type { z } from "zod";
import type { ExecutorsPlace } from "../executors.ts";
import { policyShape } from "../policies.ts";
import { configShape, type ReadHoldfastConfig } from "./config-shape.ts";
import { nearestWord } from "./nearest-word.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export const configName = "holdfast.config.ts";

/** The file, checked, and what of it the environment does not say otherwise. */
export type ReadConfig = {
  readonly path: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Null = a file has them, or nobody said any. */
  readonly policies: object | null;
  /** Null = a file has them, or nobody listed any. */
  readonly executors: ExecutorsPlace | null;
  /** Files with connectors, in the order in which they are named. */
  readonly connectors: readonly string[];
  readonly workflows: NonNullable<ReadHoldfastConfig["workflows"]>;
};

/** Null = there is none. HOLDFAST_CONFIG names another one than that in the folder. */
export async function readConfig(
  environment: Environment,
  folder: string,
): Promise<ReadConfig | null> {
  const named = environment["HOLDFAST_CONFIG"] || null;
  const path = resolve(folder, named ?? configName);
  if (named === null && !existsSync(path)) return null;
  const config = checked(path, await exported(path));
  const isSaid = (name: string) => Boolean(environment[name]);
  const told = variablesOf(config, dirname(path)).filter(([name]) => !isSaid(name));
  const isStoreSaid = ["HOLDFAST_DATA", "HOLDFAST_POSTGRES_URL"].some(isSaid);
  const variables = told.filter(([name]) => !(isStoreSaid && storeVariables.has(name)));
  const { policies, workflows = {} } = config;
  const own = typeof policies === "object" && !isSaid("HOLDFAST_POLICY") ? policies : null;
  const { executors } = config;
  const isHere = typeof executors === "object" && !isSaid("HOLDFAST_EXECUTORS");
  const keys = isHere ? { listed: executors, folder: dirname(path) } : null;
  const connectors = (config.connectors ?? []).map((each) => resolve(dirname(path), each));
  const more = { policies: own, executors: keys, connectors, workflows };
  return { path, variables: Object.fromEntries(variables), ...more };
}

const storeVariables: ReadonlySet<string> = new Set(["HOLDFAST_DATA", "HOLDFAST_POSTGRES_URL"]);

/** The config's own import is answered from here, wherever the file lies. */
async function exported(path: string): Promise<unknown> {
  const url = pathToFileURL(path).href;
  const ours = new URL("./define-config.ts", import.meta.url).href;
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      if (specifier === "@holdfast/server/config") {
        return { url: ours, shortCircuit: true };
      }
      if (specifier === url) return { url, format: "module-typescript", shortCircuit: true };
      return next(specifier, context);
    },
  });
  try {
    const module = (await import(url)) as { default?: unknown };
    if (module.default !== undefined) return module.default;
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw unusable(path, `it cannot be read: ${said.split("\n")[0]}`, error);
  } finally {
    hooks.deregister();
  }
  throw unusable(path, "it has no default export; write `export default defineConfig({ … })`");
}

function checked(path: string, given: unknown): ReadHoldfastConfig {
  const read = configShape.safeParse(given);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw unusable(path, issue === undefined ? "it is not valid" : inWords(issue));
}

function inWords(issue: z.core.$ZodIssue): string {
  const where = issue.path.map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    const [key = ""] = issue.keys;
    const known = knownIn(where);
    const nearest = nearestWord(key, known);
    const instead = nearest === null ? "" : `; perhaps ${nearest} is meant`;
    const list = nearest === null && known.length > 0 ? `; there is: ${known.join(", ")}` : "";
    const full = where === "" ? key : `${where}.${key}`;
    return `it has the key ${full}, which is none${instead}${list}`;
  }
  if (issue.code === "invalid_union") {
    const inner = issue.errors.at(-1)?.[0];
    if (inner !== undefined) return inWords({ ...inner, path: [...issue.path, ...inner.path] });
  }
  return where === "" ? issue.message : `${where} ${asEnd(issue.message)}`;
}

function knownIn(where: string): readonly string[] {
  if (where === "") return Object.keys(configShape.shape);
  if (where === "policies") return Object.keys(policyShape.shape);
  if (/^policies\.(all|workflows\.[^.]+)$/.test(where)) return Object.keys(policyDefaults);
  return where.startsWith("workflows.") ? ["allow", "ask"] : [];
}

/** The checker begins a sentence of its own; here it is the end of one. */
function asEnd(message: string): string {
  return message.startsWith("has to") ? message : `is not right: ${message}`;
}

/** What each key means is what its variable means. */
function variablesOf(config: ReadHoldfastConfig, folder: string): readonly [string, string][] {
  const { store, tls, policies } = config;
  const path = (given: string | undefined) =>
    given === undefined || isAbsolute(given) ? given : join(folder, given);
  const isPostgres = store !== undefined && /^postgres(ql)?:/.test(store);
  const all: Readonly<Record<string, string | number | undefined>> = {
    HOLDFAST_DATA: isPostgres ? undefined : path(store),
    HOLDFAST_POSTGRES_URL: isPostgres ? store : undefined,
    HOLDFAST_LISTEN: config.listen,
    HOLDFAST_PORT: config.port,
    HOLDFAST_TLS_CERT: path(tls?.cert),
    HOLDFAST_TLS_KEY: path(tls?.key),
    HOLDFAST_NAMES: config.names?.join(","),
    HOLDFAST_PUBLIC_URL: config.publicUrl,
    HOLDFAST_ACCOUNTS: path(config.accounts),
    HOLDFAST_SECRETS: path(config.secrets),
    HOLDFAST_TOKENS: path(config.tokens),
    HOLDFAST_KEY_FILE: path(config.keyFile),
    HOLDFAST_EXECUTORS: typeof config.executors === "string" ? path(config.executors) : undefined,
    HOLDFAST_POLICY: typeof policies === "string" ? path(policies) : undefined,
    HOLDFAST_WORKFLOWS: config.concurrency,
    HOLDFAST_LEASE_MS: config.leaseMs,
    HOLDFAST_PAUSE_MS: config.pauseMs,
    HOLDFAST_NOTIFY: config.notify?.join(","),
    HOLDFAST_LOG: config.log,
    OTEL_EXPORTER_OTLP_ENDPOINT: config.telemetry?.endpoint,
    OTEL_SERVICE_NAME: config.telemetry?.serviceName,
  };
  return Object.entries(all).flatMap(([name, value]) => {
    return value === undefined ? [] : [[name, String(value)] as [string, string]];
  });
}

function unusable(path: string, why: string, cause?: unknown): HostError {
  return new HostError("CONFIG_UNUSABLE", {
    what: `${path} cannot be used: ${why}.`,
    remedy: "Correct it, then do it again; nothing was started or changed.",
    retry: "safe",
    cause,
    details: { path },
  });
}
