import { type Policy, policyDefaults } from "@holdfast/core";
import type { PolicyValue } from "@holdfast/protocol";
import { z } from "zod";
import { parseFile, unusable } from "./accounts.ts";

type Values = { readonly [K in keyof Policy]?: number | undefined };
type Name = keyof Policy;

const names = Object.keys(policyDefaults) as Name[];

/** Every limit is a whole number of its unit, but for a share. */
const values = z.strictObject(
  Object.fromEntries(
    names.map((name) => {
      const isShare = name === "jitterShare";
      const limit = isShare ? z.number().min(0).max(1) : z.int().min(1);
      return [name, limit.optional()];
    }),
  ) as Record<Name, z.ZodOptional<z.ZodNumber>>,
);

const file = z.strictObject({
  all: values.default({}),
  workflows: z.record(z.string(), values).default({}),
});

/** The limits and timings of this host, for all its workflows and for single ones. */
export class Policies {
  readonly #levels: readonly [PolicyValue["from"], Values][];
  readonly #workflows: Readonly<Record<string, Values>>;

  constructor(given: z.infer<typeof file>, environment: Values) {
    this.#levels = [
      ["default", policyDefaults],
      ["all", given.all],
      ["environment", environment],
    ];
    this.#workflows = given.workflows;
  }

  get ofHost(): Policy {
    return policyOf(valuesOf(this.#levels));
  }

  of(workflow: string): Policy {
    return policyOf(this.explain(workflow));
  }

  /** Each value, and who said it. */
  explain(workflow: string): readonly PolicyValue[] {
    const own = Object.hasOwn(this.#workflows, workflow) ? (this.#workflows[workflow] ?? {}) : {};
    return valuesOf([...this.#levels, ["workflow", own]]);
  }
}

/** The last level that says something about a value counts. */
function valuesOf(levels: readonly [PolicyValue["from"], Values][]): readonly PolicyValue[] {
  return names.map((name) => {
    const said = levels.findLast(([, given]) => given[name] !== undefined);
    const [from, given] = said ?? ["default", policyDefaults];
    return { name, value: given[name] ?? policyDefaults[name], from };
  });
}

function policyOf(all: readonly PolicyValue[]): Policy {
  return Object.fromEntries(all.map(({ name, value }) => [name, value])) as Policy;
}

/** `{ "all": { … }, "workflows": { "<workflow>": { … } } }`; null = this host has none. */
export function readPolicies(path: string | null, environment: Values): Policies {
  const read = file.safeParse(path === null ? {} : parseFile(path));
  if (read.success) return new Policies(read.data, environment);
  const [issue] = read.error.issues;
  const where = issue?.path.map(String).join(".") || "the file";
  throw unusable(path ?? "", `${where}: ${issue?.message ?? "not valid"}`);
}
