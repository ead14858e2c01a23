import { callPolicyNames, type OperationName, type Policy, policyDefaults } from "@holdfast/core";
import type { PolicyValue } from "@holdfast/protocol";
import { z } from "zod";
import { parseFile, unusable } from "./accounts.ts";

type Name = keyof Policy;
type Values = { readonly [K in Name]?: number | undefined };
type Level = readonly [from: PolicyValue["from"], values: Values];

/** Calls of one connection, or of one operation of it. */
export type CallScope = { readonly connection: string; readonly operation: string | null };

const allNames = Object.keys(policyDefaults) as Name[];

/** Every limit is a whole number of its unit, but for a share. */
function shapeOf(names: readonly Name[]) {
  return Object.fromEntries(
    names.map((name) => {
      const isShare = name === "jitterShare";
      const limit = isShare ? z.number().min(0).max(1) : z.int().min(1);
      return [name, limit.optional()];
    }),
  ) as Record<Name, z.ZodOptional<z.ZodNumber>>;
}

const operationValues = z.strictObject(shapeOf(callPolicyNames));

const connectionValues = z.strictObject({
  ...shapeOf(callPolicyNames),
  operations: z.record(z.string(), operationValues).default({}),
});

const connections = z.record(z.string(), connectionValues).default({});

export const policyShape = z.strictObject({
  all: z.strictObject(shapeOf(allNames)).default({}),
  connections,
  workflows: z
    .record(z.string(), z.strictObject({ ...shapeOf(allNames), connections }))
    .default({}),
});

type PolicyFile = z.infer<typeof policyShape>;

/** The limits and timings of this host: for all, for a workflow, a connection, an operation. */
export class Policies {
  readonly #common: readonly Level[];
  readonly #file: PolicyFile;

  constructor(given: PolicyFile, environment: Values) {
    this.#common = [
      ["default", policyDefaults],
      ["all", given.all],
      ["environment", environment],
    ];
    this.#file = given;
  }

  get ofHost(): Policy {
    return policyOf(valuesOf(this.#common, allNames));
  }

  of(workflow: string, call?: OperationName): Policy {
    const levels = this.#levels(workflow, call ?? null);
    return policyOf(valuesOf(levels, allNames));
  }

  /** What counts where nothing else is said for a workflow. */
  explainHost(): readonly PolicyValue[] {
    return valuesOf(this.#common, allNames);
  }

  /** Each value, and who said it. Of a call only those that may differ from call to call. */
  explain(workflow: string, call: CallScope | null = null): readonly PolicyValue[] {
    const names = call === null ? allNames : callPolicyNames;
    return valuesOf(this.#levels(workflow, call), names);
  }

  /** The nearest comes last; what is said for one workflow is nearer than what is for all. */
  #levels(workflow: string, call: CallScope | null): readonly Level[] {
    const own = entryOf(this.#file.workflows, workflow);
    const ofWorkflow: readonly Level[] = [...this.#common, ["workflow", own ?? {}]];
    if (call === null) return ofWorkflow;
    const named = [this.#file.connections, own?.connections ?? {}].map((each) => {
      return entryOf(each, call.connection);
    });
    const { operation } = call;
    const operations = named.map((each) => {
      return operation === null ? undefined : entryOf(each?.operations ?? {}, operation);
    });
    return [
      ...ofWorkflow,
      ...named.map((each): Level => ["connection", each ?? {}]),
      ...operations.map((each): Level => ["operation", each ?? {}]),
    ];
  }
}

function entryOf<T>(entries: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(entries, name) ? entries[name] : undefined;
}

/** The last level that says something about a value counts. */
function valuesOf(levels: readonly Level[], names: readonly Name[]): readonly PolicyValue[] {
  return names.map((name) => {
    const said = levels.findLast(([, given]) => given[name] !== undefined);
    const [from, given] = said ?? ["default", policyDefaults];
    return { name, value: given[name] ?? policyDefaults[name], from };
  });
}

function policyOf(all: readonly PolicyValue[]): Policy {
  return Object.fromEntries(all.map(({ name, value }) => [name, value])) as Policy;
}

/**
 * `{ "all": { … }, "workflows": { "<workflow>": { …, "connections": … } }, "connections":
 * { "<connection>": { …, "operations": { "<operation>": { … } } } } }`; null = this host has none.
 The config file may have them
 * itself.
 */
export function readPolicies(given: string | object | null, environment: Values): Policies {
  const read = policyShape.safeParse(typeof given === "string" ? parseFile(given) : (given ?? {}));
  if (read.success) return new Policies(read.data, environment);
  const [issue] = read.error.issues;
  const where = issue?.path.map(String).join(".") || "the file";
  const path = typeof given === "string" ? given : "";
  throw unusable(path, `${where}: ${issue?.message ?? "not valid"}`);
}
