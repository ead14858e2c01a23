import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type CanonicalValue,
  compileSchema,
  decodeCanonical,
  encodeCanonical,
  type Schema,
} from "../canonical/index.ts";
import { stateLeft } from "./chain.ts";
import { compileText } from "./guest-text.ts";
import { guestValue } from "./guest-value.ts";
import type { Input } from "./input.ts";
import type { CompiledMachine } from "./machine-set.ts";
import { closeStepText, stepTexts } from "./step-texts.ts";
import { openStepCall } from "./step-values.ts";
import { type Apart, guestTexts, readTagged } from "./tagged-json.ts";
import { MachineWorld } from "./testing/machine-world.ts";
import { orderStep } from "./testing/order-step.ts";
import { orderSet } from "./testing/sample-set.ts";
import { foreseeCall } from "./turn.ts";

type Typed = { readonly schema: Schema; readonly value: CanonicalValue };

const name = fc.oneof(
  fc.constantFrom("a", "id", "total", "constructor", "toString", "$plain", "ü", '"', "zz-top"),
  fc.string({ minLength: 1, maxLength: 6 }).filter((text) => text !== "__proto__"),
);
const text = fc.string({ unit: "binary", maxLength: 8 }).filter((each) => each.isWellFormed());
const integer = fc.oneof(fc.maxSafeNat(), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }));

function typed(depth: number): fc.Arbitrary<Typed> {
  const leaf = fc.oneof(
    integer.map((value): Typed => ({ schema: { type: "nat" }, value })),
    fc.maxSafeInteger().map((value): Typed => ({ schema: { type: "int" }, value })),
    text.map((value): Typed => ({ schema: { type: "text" }, value })),
    fc.boolean().map((value): Typed => ({ schema: { type: "bool" }, value })),
    fc.uuid().map((value): Typed => ({ schema: { type: "uuid" }, value })),
    fc.constant<Typed>({ schema: { type: "unit" }, value: null }),
    fc.uint8Array({ maxLength: 3 }).map((value): Typed => ({ schema: { type: "bytes" }, value })),
  );
  if (depth === 0) return leaf;
  const inner = typed(depth - 1);
  return fc.oneof(
    leaf,
    fc.uniqueArray(fc.tuple(name, inner), { selector: ([each]) => each, maxLength: 4 }).map(
      (fields): Typed => ({
        schema: {
          type: "record",
          fields: Object.fromEntries(fields.map(([each, { schema }]) => [each, schema])),
        },
        value: Object.fromEntries(fields.map(([each, { value }]) => [each, value])),
      }),
    ),
    fc.tuple(inner, fc.nat(2)).map(
      ([{ schema, value }, count]): Typed => ({
        schema: { type: "list", item: schema },
        value: Array.from({ length: count }, () => value),
      }),
    ),
    fc.tuple(leaf, fc.boolean()).map(([{ schema, value }, isNull]): Typed => {
      const some: Schema = schema.type === "unit" ? { type: "bool" } : schema;
      const isNone = isNull || schema.type === "unit";
      return { schema: { type: "option", inner: some }, value: isNone ? null : value };
    }),
    fc.tuple(inner, fc.boolean()).map(([{ schema, value }, isShort]): Typed => {
      const arm = schema.type === "unit" ? null : schema;
      const full = arm === null ? { $tag: "One" } : { $tag: "One", $value: value };
      const short = { One: value };
      return {
        schema: { type: "variant", arms: { One: arm, Two: null } },
        value: isShort ? short : full,
      };
    }),
  );
}

/** What is beside it put where it belongs. */
function inPlace(apart: string, beside: readonly Uint8Array[]): string {
  const all = JSON.parse(apart) as [string[], { $bytes?: unknown }][];
  for (const [, value] of all) {
    if (typeof value.$bytes === "number") value.$bytes = [...(beside[value.$bytes] ?? [])];
  }
  return JSON.stringify(all);
}

const runs = { numRuns: 1_000 };
const none = new Map();

describe("the short way to a guest", () => {
  test("[M.C-12] writes what the long one does, or nothing", () => {
    let written = 0;
    const check = ({ schema, value }: Typed) => {
      const compiled = compileSchema(schema);
      const bytes = compiled.encode(value);
      const long = guestTexts({ it: guestValue(compiled.schema, compiled.decode(bytes), none) });
      const write = compileText(compiled.schema, none);
      const validated = compiled.validate(value);
      for (const form of [decodeCanonical(bytes), validated.ok ? validated.value : null]) {
        const apart: Apart = [];
        const short = write(form, { way: ["it"], apart });
        if (short === null) continue;
        written += 1;
        expect([short, JSON.stringify(apart)]).toEqual([long.it, long.apart]);
      }
    };
    fc.assert(fc.property(typed(3), check), runs);
    expect(written).toBeGreaterThan(runs.numRuns);
  });

  test("[M.C-12] a receipt goes the short way with its payload, as on the long one", () => {
    const world = new MachineWorld({ declaration: orderSet(), steps: { order: orderStep } });
    const id = world.cellId("order", "a");
    const check = (input: Input) => {
      world.give([input], 0);
      const { kernel } = world;
      const state = kernel.cells.get(id)?.state ?? null;
      const call = foreseeCall(kernel, id, { at: 0, state });
      if (call === null) throw new Error("nothing waits");
      const { ctx: context, ...opened } = openStepCall(kernel.set, call);
      const long = guestTexts({ ...opened, context });
      expect(stepTexts(kernel.set, call)).toEqual(long);
      const beside: Uint8Array[] = [];
      const { apart, ...texts } = stepTexts(kernel.set, call, { beside });
      expect({ ...texts, apart: inPlace(apart, beside) }).toEqual(long);
      world.give([]);
      return long;
    };
    check(world.event("order.placed", { id: "a", say: "book" }));
    const long = check(world.receipt(world.firstOpen(), "ok", { ref: "r" }));
    expect(long.event).toContain('"payload":{"ref":"r"}');
    expect(long.apart).toContain("receipt_payload");
  });

  test("[M.C-12] bytes go beside the text, but neither few bytes nor many values", () => {
    const schema: Schema = { type: "list", item: { type: "bytes" } };
    const write = compileText(compileSchema(schema).schema, none);
    const given = [3, 8, 64, ...Array.from({ length: 30 }, () => 9)].map((length) =>
      new Uint8Array(length).fill(length),
    );
    const [apart, beside]: [Apart, Uint8Array[]] = [[], []];
    const all = { way: ["it"], apart: [] as Apart };
    expect(write(given, { way: ["it"], apart, beside })).toBe(write(given, all));
    expect(beside.map(({ length }) => length)).toEqual([8, 64, ...Array(14).fill(9)]);
    expect(inPlace(JSON.stringify(apart), beside)).toBe(JSON.stringify(all.apart));
  });

  test.each(['{"$int":"5"}', '{"\\u0024int":"5"}', '{"$\\u0069nt":"5"}'])(
    "[M.K7.2-1] a tag is one however it is spelled: %s",
    (text) => expect(readTagged(text)).toBe(5n),
  );

  test("[M.C-12] a state that goes to the next step is the one that its bytes say", () => {
    const check = ({ schema, value }: Typed) => {
      const state = compileSchema(schema);
      const machine = { state } as CompiledMachine;
      const given = JSON.stringify({ state: value }, (_, part) =>
        typeof part === "bigint" ? { $int: String(part) } : part,
      );
      const { answer, left, leftValue } = closeStepText(given, machine);
      expect(left).toEqual(stateLeft(machine, answer));
      if (left === null || leftValue === null) return;
      expect(leftValue).toEqual(state.decode(left));
      expect(encodeCanonical(leftValue)).toEqual(left);
    };
    fc.assert(fc.property(typed(3), check), runs);
  });
});
