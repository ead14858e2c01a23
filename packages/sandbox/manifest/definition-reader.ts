import { parseSchema, type Schema } from "@holdfast/core/canonical";
import type { ProblemCode } from "../validate/problem-codes.ts";
import { codeEntry } from "../validate/problem-codes.ts";
import {
  type Data,
  type DataRecord,
  isFunctionMark,
  isList,
  isRecord,
  shortened,
  shown,
} from "./plain-copy.ts";

export type Fault = {
  readonly path: readonly string[];
  readonly code: ProblemCode;
  readonly cause: string;
  readonly hint: string;
};

export type Path = readonly string[];

/** UTF-16 units in the name of a topic, handler or connection. */
const nameCharsMax = 64;
/** Entries of one part: topics, handlers of one kind, names in a list. */
const partsMax = 200;

/** Letters first: names that look like numbers would be put first whatever the source says. */
const plainName = /^[A-Za-z][A-Za-z0-9_.:/-]*$/;

/** Reads one untrusted definition; whatever is wrong is noted, and reading goes on. */
export class DefinitionReader {
  readonly faults: Fault[] = [];
  readonly warnings: Fault[] = [];

  fault(path: Path, code: ProblemCode, cause: string, hint?: string): void {
    this.faults.push({ path, code, cause, hint: hint ?? codeEntry(code).hint });
  }

  warn(path: Path, code: ProblemCode, cause: string): void {
    this.warnings.push({ path, code, cause, hint: codeEntry(code).hint });
  }

  expected(path: Path, what: string, got: Data | undefined): void {
    const place = path.length === 0 ? "The default export" : `\`${path.join(".")}\``;
    this.fault(path, "definition_invalid", `${place} must be ${what}, got ${shown(got)}.`);
  }

  /** Null = not an object of that kind; noted. */
  object(data: Data | undefined, path: Path, keys: readonly string[]): DataRecord | null {
    // A function arrives as a record that marks it, and its mark would be taken for a key.
    if (!isRecord(data) || isFunctionMark(data)) {
      this.expected(path, "an object", data);
      return null;
    }
    for (const key of Object.keys(data)) {
      if (keys.includes(key) || key === "$kind") continue;
      const cause = `\`${shortened(key)}\` is not known here; known are ${keys.join(", ")}.`;
      this.fault([...path, key], "definition_invalid", cause);
    }
    return data;
  }

  kind(data: DataRecord, path: Path, kind: string): void {
    const given = data["$kind"];
    if (given === undefined || given === kind) return;
    this.fault(path, "definition_invalid", `A ${kind} belongs here, got ${shown(given)}.`);
  }

  /** Entries by name in the order of the source; bad names are noted and left out. */
  named(data: Data | undefined, path: Path): readonly (readonly [string, Data])[] {
    if (data === undefined) return [];
    if (!isRecord(data)) {
      this.expected(path, "an object", data);
      return [];
    }
    const entries = Object.entries(data);
    if (entries.length > partsMax) {
      this.fault(
        path,
        "definition_invalid",
        `\`${path.join(".")}\` has more than ${partsMax} parts.`,
      );
      return [];
    }
    return entries.filter(([name]) => this.name(name, [...path, name]));
  }

  name(name: string, path: Path): boolean {
    const taken = name in Object.prototype;
    if (name.length <= nameCharsMax && plainName.test(name) && !taken) return true;
    this.fault(path, "name_invalid", `${JSON.stringify(shortened(name))} cannot be a name.`);
    return false;
  }

  texts(data: Data | undefined, path: Path): readonly string[] {
    if (!isList(data) || data.length > partsMax) {
      this.expected(path, `a list of at most ${partsMax} names`, data);
      return [];
    }
    return data.flatMap((each, at) => {
      if (typeof each === "string") return this.name(each, [...path, String(at)]) ? [each] : [];
      this.expected([...path, String(at)], "a text", each);
      return [];
    });
  }

  oneOf<T extends string>(data: Data | undefined, path: Path, words: readonly [T, ...T[]]): T {
    if (data === undefined) return words[0];
    const found = words.find((word) => word === data);
    if (found === undefined) this.expected(path, words.map((w) => `"${w}"`).join(" or "), data);
    return found ?? words[0];
  }

  flag(data: Data | undefined, path: Path): boolean {
    if (data === undefined || typeof data === "boolean") return data ?? false;
    this.expected(path, "true or false", data);
    return false;
  }

  schema(data: Data | undefined, path: Path): Schema | null {
    const parsed = parseSchema(data);
    if (parsed.ok) return parsed.schema;
    this.fault(path, "schema_invalid", `The schema is not one: ${parsed.message}.`);
    return null;
  }
}
