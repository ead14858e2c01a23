import type { CanonicalValue } from "../canonical-value.ts";
import { setOwn } from "../plain-object.ts";
import type { Admit, SchemaType } from "./schema-type.ts";
import type { Schema } from "./type-table.ts";
import type { Walk } from "./walk.ts";

export type RecordSchema = {
  readonly type: "record";
  readonly fields: { readonly [name: string]: Schema };
};

type Field = { readonly name: string; readonly admit: Admit; readonly isOption: boolean };

export const recordType: SchemaType<RecordSchema> = {
  properties: ["fields"],
  mapKey: false,
  parse: (reader) => ({ type: "record", fields: reader.named("fields", (inner) => inner()) }),
  compile: ({ fields }, compileInner) => {
    const compiled: Field[] = Object.entries(fields).map(([name, schema]) => ({
      name,
      admit: compileInner(schema),
      isOption: schema.type === "option",
    }));
    const known = new Set(Object.keys(fields));
    return (value, walk) => {
      const input = walk.plainObject("record", value);
      const present = Object.keys(input);
      refuseUnknownField(present, known, walk);
      // None is unknown and none is there twice: as many as there are means all of them.
      const isWhole = present.length === compiled.length;
      const record: Record<string, CanonicalValue> = {};
      for (const field of compiled) {
        walk.enter(field.name);
        const isGiven = isWhole || present.includes(field.name);
        const given = isGiven ? input[field.name] : undefined;
        setOwn(record, field.name, admitField(field, given, walk));
        walk.leave();
      }
      return record;
    };
  },
};

/** Authors leave options out or set them undefined; the canonical form always says null. */
function admitField(field: Field, given: unknown, walk: Walk): CanonicalValue {
  if (given === undefined && field.isOption && walk.purpose !== "stored") return null;
  return field.admit(given, walk);
}

function refuseUnknownField(
  present: readonly string[],
  known: ReadonlySet<string>,
  walk: Walk,
): void {
  for (const name of present) {
    if (known.has(name)) continue;
    walk.enter(name);
    walk.refuse("no such field", "one that the record does not declare");
  }
}
