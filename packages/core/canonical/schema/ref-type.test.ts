import { describe, expect, test } from "vitest";
import { compileSchema } from "./compile-schema.ts";
import type { NamedSchemas } from "./resolve-refs.ts";
import type { Schema } from "./type-table.ts";

const ref = (name: string): Schema => ({ type: "ref", name });
const namesOf = (names: { [name: string]: Schema }): NamedSchemas => new Map(Object.entries(names));

function whyNot(schema: Schema, names: { [name: string]: Schema }): string {
  try {
    compileSchema(schema, { names: namesOf(names) });
    return "compiled";
  } catch (error) {
    return String(error);
  }
}

describe("ref", () => {
  const point: Schema = { type: "record", fields: { x: { type: "int" } } };
  const line: Schema = { type: "list", item: ref("Point") };

  test("[M.C-3] has the values and the bytes of the schema it names", () => {
    const compiled = compileSchema(line, { names: namesOf({ Point: point }), rootName: "line" });
    const plain = compileSchema({ type: "list", item: point });
    expect(compiled.encode([{ x: 1 }])).toEqual(plain.encode([{ x: 1 }]));
    const refused = compiled.validate([{ x: 1 }, { x: "1" }]);
    expect(refused.ok ? "" : refused.message).toBe('line[1].x: expected int, got "1"');
  });

  test("[M.C-3] leads to a schema, and never back to itself", () => {
    expect(whyNot(line, {})).toContain('item: expected the name of a schema, got "Point"');
    expect(whyNot(ref("A"), { A: ref("A") })).toContain("no way back to itself");
    const around = { A: { type: "list", item: ref("B") }, B: { type: "option", inner: ref("A") } };
    expect(whyNot(ref("A"), around as never)).not.toBe("compiled");
    const inside: Schema = { type: "record", fields: { next: ref("A") } };
    expect(whyNot(ref("A"), { A: inside })).toContain("no way back to itself");
  });

  test("[M.C-3] names no type of which null is a value, so that null has one meaning", () => {
    const named = { A: { type: "option", inner: point }, U: { type: "unit" } } as const;
    expect(whyNot({ type: "option", inner: ref("A") }, named)).toContain("without null");
    expect(whyNot({ type: "variant", arms: { a: ref("U") } }, named)).toContain("without null");
  });

  test("many names that use each other twice cost no time, and depth counts through names", () => {
    const twice: { [name: string]: Schema } = { N0: point };
    for (let at = 1; at < 28; at++) {
      const inner = ref(`N${at - 1}`);
      twice[`N${at}`] = { type: "variant", arms: { a: inner, b: inner } };
    }
    expect(whyNot(ref("N14"), twice)).toBe("compiled");
    expect(whyNot(ref("N27"), twice)).toContain("at most 32 levels");
  });
});
