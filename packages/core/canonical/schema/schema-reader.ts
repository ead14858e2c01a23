import { isPlainObject, setOwn } from "../plain-object.ts";
import type { PathSegment } from "../value-path.ts";
import { describeValue } from "./describe-value.ts";
import { RefusedSignal } from "./refusal.ts";
import { findType, type Schema, typeNames } from "./type-table.ts";

/** Types inside types. Far below the limit for values, so that a typed value always fits. */
export const schemaDepthLevelsMax = 32;
/** Types in one schema. */
export const schemaNodesMax = 4096;
/** UTF-16 units in the name of a field or arm. */
export const schemaNameCharsMax = 256;

/** Reads one untrusted schema; every property is read once and nothing of the input is kept. */
export class SchemaReader {
  readonly path: PathSegment[] = [];
  private node: Readonly<Record<string, unknown>> = {};
  private depth = 0;
  private nodeCount = 0;

  read(given: unknown): Schema {
    if (this.depth >= schemaDepthLevelsMax) {
      this.refuse(`at most ${schemaDepthLevelsMax} levels of types`, "more, or a cycle");
    }
    this.nodeCount++;
    if (this.nodeCount > schemaNodesMax) this.refuse(`at most ${schemaNodesMax} types`, "more");
    if (!isPlainObject(given)) return this.refuse("a schema", describeValue(given));
    const outer = this.node;
    this.node = { ...given };
    this.depth++;
    const schema = this.readNode();
    this.depth--;
    this.node = outer;
    return Object.freeze(schema);
  }

  private readNode(): Schema {
    const name = Object.hasOwn(this.node, "type") ? this.node["type"] : undefined;
    const type = typeof name === "string" ? findType(name) : null;
    if (type === null) {
      this.path.push("type");
      return this.refuse(`one of ${typeNames.join(", ")}`, describeValue(name));
    }
    for (const property of Object.keys(this.node)) {
      if (property === "type" || type.properties.includes(property)) continue;
      this.path.push(property);
      this.refuse("no such property", `one that ${name} does not have`);
    }
    return type.parse(this);
  }

  private property(name: string): unknown {
    return Object.hasOwn(this.node, name) ? this.node[name] : undefined;
  }

  inner(property: string): Schema {
    this.path.push(property);
    const schema = this.read(this.property(property));
    this.path.pop();
    return schema;
  }

  mapKey(property: string): Schema {
    const schema = this.inner(property);
    if (findType(schema.type)?.mapKey) return schema;
    const keyTypes = typeNames.filter((name) => findType(name)?.mapKey);
    return this.refuseAt(property, `one of ${keyTypes.join(", ")}`);
  }

  /** The entries of a property that holds schemas by name, in the order they were written. */
  named<T>(
    property: string,
    read: (inner: () => Schema, given: unknown) => T,
  ): { readonly [name: string]: T } {
    this.path.push(property);
    const given = this.property(property);
    if (!isPlainObject(given)) return this.refuse("types by name", describeValue(given));
    const entries = Object.entries(given);
    if (entries.length > schemaNodesMax) this.refuse(`at most ${schemaNodesMax} types`, "more");
    const result: Record<string, T> = {};
    for (const [name, inner] of entries) {
      this.path.push(name);
      if (name === "" || name.length > schemaNameCharsMax || !name.isWellFormed()) {
        this.refuse(`a name of 1 to ${schemaNameCharsMax} characters`, describeValue(name));
      }
      setOwn(
        result,
        name,
        read(() => this.read(inner), inner),
      );
      this.path.pop();
    }
    this.path.pop();
    return Object.freeze(result);
  }

  text(property: string): string {
    const given = this.property(property);
    const isName = typeof given === "string" && given !== "" && given.isWellFormed();
    if (isName && given.length <= schemaNameCharsMax) return given;
    return this.refuseAt(property, `a name of 1 to ${schemaNameCharsMax} characters`);
  }

  /** An optional limit as the property to add, so that an absent one stays absent. */
  limit<Name extends string>(property: Name): { readonly [K in Name]?: number } {
    const given = this.property(property);
    if (given === undefined) return {};
    if (typeof given !== "number" || !Number.isSafeInteger(given) || given < 0) {
      this.path.push(property);
      return this.refuse("a count", describeValue(given));
    }
    return { [property]: given } as { readonly [K in Name]?: number };
  }

  refuseAt(property: string, expected: string): never {
    this.path.push(property);
    const given = this.property(property);
    const got = isPlainObject(given) && typeof given["type"] === "string" ? given["type"] : given;
    return this.refuse(expected, describeValue(got));
  }

  private refuse(expected: string, got: string): never {
    throw new RefusedSignal(expected, got);
  }
}
