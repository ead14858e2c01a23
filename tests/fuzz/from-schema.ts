import { randomBetween, seededRandom } from "../hosts/seeded-random.ts";

export type Schema = {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
};

/** The same seed makes the same choices. */
export class SeededRandom {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seededRandom(seed);
  }

  below(count: number): number {
    return randomBetween(this.#next, 0, count - 1);
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }
}

const depthMax = 4;

const strangeTexts = [
  "",
  "a",
  "orders",
  "idle",
  "\u0000",
  "\u202egnp.exe",
  "🧵".repeat(40),
  "../../etc/passwd",
  "%2e%2e%2f",
  "'; DROP TABLE runs; --",
  "__proto__",
  "constructor",
  "9".repeat(400),
  "\ud800",
  "a\r\nset-cookie: x=1",
];

const strangeNumbers = [0, -1, 1, 0.5, 1e308, -1e308, 2 ** 53, 2 ** 53 + 2, 1_700_000_000_000];

/** Something that no schema asked for. */
export function anything(random: SeededRandom, depth = 0): unknown {
  const kind = random.below(depth > depthMax ? 5 : 8);
  if (kind === 0) return null;
  if (kind === 1) return random.below(2) === 0;
  if (kind === 2) return random.pick(strangeNumbers);
  if (kind <= 4) return random.pick(strangeTexts);
  const count = random.below(4);
  if (kind === 5) return Array.from({ length: count }, () => anything(random, depth + 1));
  return Object.fromEntries(
    Array.from({ length: count }, () => [
      random.pick(["kind", "body", "runId", "topic", "messageId", ...strangeTexts]),
      anything(random, depth + 1),
    ]),
  );
}

/** A value of the schema, or one that is wrong in one place or another. */
export function fromSchema(random: SeededRandom, schema: Schema, depth = 0): unknown {
  if (depth > depthMax || random.below(25) === 0) return anything(random, depth);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return random.pick(schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fromSchema(random, random.pick(choices), depth);
  switch (schema.type) {
    case "string":
      return random.pick(strangeTexts);
    case "integer":
    case "number":
      return random.pick(strangeNumbers);
    case "boolean":
      return random.below(2) === 0;
    case "array": {
      const item = schema.items ?? {};
      return Array.from({ length: random.below(4) }, () => fromSchema(random, item, depth + 1));
    }
    case "object":
      return objectOf(random, schema, depth);
    default:
      return anything(random, depth);
  }
}

function objectOf(random: SeededRandom, schema: Schema, depth: number): object {
  const { properties = {}, required = [] } = schema;
  const known = Object.entries(properties).filter(([name]) => {
    return required.includes(name) ? random.below(20) > 0 : random.below(2) === 0;
  });
  const values = known.map(([name, each]) => [name, fromSchema(random, each, depth + 1)]);
  const isMore = random.below(20) === 0;
  return Object.fromEntries([...values, ...(isMore ? [["more", anything(random, depth)]] : [])]);
}
