import type { PathSegment } from "../value-path.ts";
import { RefusedSignal } from "./refusal.ts";
import { schemaDepthLevelsMax } from "./schema-reader.ts";
import type { Schema } from "./type-table.ts";

export type NamedSchemas = ReadonlyMap<string, Schema>;

/**
 * Checks that every ref leads to a schema, none back to itself, and that all together are no
 * deeper than one schema may be. `path` is where the trouble is when it throws.
 */
export function checkRefs(schema: Schema, names: NamedSchemas, path: PathSegment[]): void {
  new RefWalk(names, path).depthOf(schema);
}

class RefWalk {
  private readonly known = new Map<string, number>();
  private readonly open = new Set<string>();
  private readonly names: NamedSchemas;
  private readonly path: PathSegment[];

  constructor(names: NamedSchemas, path: PathSegment[]) {
    this.names = names;
    this.path = path;
  }

  depthOf(schema: Schema): number {
    const depth = 1 + Math.max(0, ...this.innerDepths(schema));
    if (depth > schemaDepthLevelsMax) {
      throw new RefusedSignal(`at most ${schemaDepthLevelsMax} levels of types`, "more");
    }
    return depth;
  }

  private innerDepths(schema: Schema): number[] {
    if (schema.type === "ref") return [this.depthOfName(schema.name)];
    return innerSchemas(schema).map(([segments, inner]) => {
      this.path.push(...segments);
      const depth = this.depthOf(inner);
      this.path.length -= segments.length;
      return depth;
    });
  }

  /** Each name is walked once, or a few names that use each other twice would take for ever. */
  private depthOfName(name: string): number {
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const target = this.names.get(name);
    if (target === undefined) throw new RefusedSignal("the name of a schema", `"${name}"`);
    if (this.open.has(name)) throw new RefusedSignal("no way back to itself", `"${name}"`);
    // Null would then mean "none" and "some" at once wherever the name stands in an option or arm.
    if (target.type === "option" || target.type === "unit") {
      throw new RefusedSignal("a name for a type without null", `"${name}", a ${target.type}`);
    }
    this.open.add(name);
    const depth = this.depthOf(target);
    this.open.delete(name);
    this.known.set(name, depth);
    return depth;
  }
}

/** The types directly inside a type, with the way to each. A ref has none of its own. */
export function innerSchemas(schema: Schema): readonly (readonly [PathSegment[], Schema])[] {
  switch (schema.type) {
    case "list":
    case "set":
      return [[["item"], schema.item]];
    case "option":
      return [[["inner"], schema.inner]];
    case "map":
      return [
        [["key"], schema.key],
        [["value"], schema.value],
      ];
    case "record":
      return Object.entries(schema.fields).map(([name, inner]) => [["fields", name], inner]);
    case "variant":
      return Object.entries(schema.arms).flatMap(([tag, inner]) =>
        inner === null ? [] : [[["arms", tag], inner]],
      );
    default:
      return [];
  }
}

/** True for a schema that cannot be compiled without names. */
export function hasRef(schema: Schema): boolean {
  return schema.type === "ref" || innerSchemas(schema).some(([, inner]) => hasRef(inner));
}
