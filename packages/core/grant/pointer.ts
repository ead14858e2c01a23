import type { CanonicalValue } from "../canonical/index.ts";

/** RFC 6901; the empty pointer is the whole. Null = it is not a pointer. */
export function parsePointer(text: string): readonly string[] | null {
  if (text === "") return [];
  if (!text.startsWith("/") || /~(?![01])/.test(text)) return null;
  return text
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Undefined = it leads nowhere. */
export function follow(value: CanonicalValue, path: readonly string[]): CanonicalValue | undefined {
  let at: CanonicalValue | undefined = value;
  for (const part of path) {
    at = stepInto(at, part);
    if (at === undefined) return undefined;
  }
  return at;
}

/** Of a list. */
export function isIndex(part: string): boolean {
  return /^(0|[1-9]\d{0,8})$/.test(part);
}

function stepInto(value: CanonicalValue | undefined, part: string): CanonicalValue | undefined {
  if (Array.isArray(value)) {
    return isIndex(part) ? value[Number(part)] : undefined;
  }
  const isRecord =
    typeof value === "object" &&
    value !== null &&
    !(value instanceof Uint8Array) &&
    !(value instanceof Map);
  if (!isRecord || !Object.hasOwn(value, part)) return undefined;
  return (value as Readonly<Record<string, CanonicalValue>>)[part];
}
