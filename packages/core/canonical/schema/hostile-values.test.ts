import { describe, expect, test } from "vitest";
import { compileSchema } from "./compile-schema.ts";
import type { Schema } from "./type-table.ts";
import { valueNodesMax } from "./walk.ts";

const int: Schema = { type: "int" };

describe("hostile values", () => {
  const json = compileSchema({ type: "json" });
  const record = compileSchema({ type: "record", fields: { a: int } });
  const unreadable = "expected a readable value, got one that threw while it was read";

  test("with a getter that throws are refused at its place", () => {
    const value = {
      get a() {
        throw new Error("no");
      },
    };
    expect(record.validate(value)).toMatchObject({ ok: false, message: `a: ${unreadable}` });
    expect(json.validate(value)).toMatchObject({ ok: false, message: `a: ${unreadable}` });
  });

  test("made of throwing or revoked proxies are refused", () => {
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    const trap = (): never => {
      throw new Error("no");
    };
    const traps = [{ ownKeys: trap }, { getPrototypeOf: trap }, { get: trap }];
    for (const proxy of [revoked.proxy, ...traps.map((handler) => new Proxy({ a: 1 }, handler))]) {
      for (const compiled of [json, record]) {
        expect(compiled.validate(proxy)).toMatchObject({
          ok: false,
          message: expect.stringContaining("readable"),
        });
      }
    }
  });

  test("are read once, so they cannot be one thing when checked and another when kept", () => {
    let reads = 0;
    const value = {
      get a() {
        reads++;
        return reads === 1 ? 1 : "changed";
      },
    };
    expect(record.validate(value)).toStrictEqual({ ok: true, value: { a: 1n } });
    expect(reads).toBe(1);
  });

  test("that are cyclic are refused and do not overflow", () => {
    const list: unknown[] = [];
    list.push(list, list);
    const object: Record<string, unknown> = {};
    object["a"] = object;
    const levels = { ok: false, expected: "nesting of at most 128 levels" };
    expect(json.validate(list)).toMatchObject(levels);
    expect(json.validate(object)).toMatchObject(levels);
    expect(record.validate(object)).toMatchObject({ ok: false, path: "a" });
  });

  test("that unfold from little to endless are refused in bounded time", () => {
    let value: unknown = 1;
    for (let level = 0; level < 60; level++) value = [value, value];
    const expected = `at most ${valueNodesMax} values in one`;
    expect(json.validate(value)).toMatchObject({ ok: false, expected });
  });

  test("cannot reach a prototype through field names", () => {
    const fields = JSON.parse('{"__proto__":{"type":"int"},"constructor":{"type":"int"}}');
    const compiled = compileSchema({ type: "record", fields });
    const value = JSON.parse('{"__proto__":1,"constructor":2}');
    const validated = compiled.validate(value);
    expect(validated.ok && Object.entries(validated.value as object)).toEqual([
      ["__proto__", 1n],
      ["constructor", 2n],
    ]);
    expect(compiled.decode(compiled.encode(value))).toStrictEqual(validated.ok && validated.value);
    expect(compiled.validate({})).toMatchObject({
      ok: false,
      message: expect.stringContaining("got nothing"),
    });
    expect(record.validate(JSON.parse('{"a":1,"__proto__":{}}'))).toMatchObject({ ok: false });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});
