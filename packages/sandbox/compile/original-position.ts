import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import type { CompiledScript } from "./compile-script.ts";
import type { Place } from "./tree/parsed-file.ts";

/** Several frames of one stack ask about the same script. */
const maps = new WeakMap<CompiledScript, TraceMap>();

/**
 * Where in the author's files a place in the compiled code comes from; all counts begin at 1.
 * Null = it is ours: the bundle's frame or the SDK.
 */
export function originalPosition(
  script: CompiledScript,
  line: number,
  column: number,
): Place | null {
  if (!Number.isSafeInteger(line) || !Number.isSafeInteger(column) || line < 1) return null;
  const map = maps.get(script) ?? new TraceMap(script.map);
  maps.set(script, map);
  const found = originalPositionFor(map, { line, column: Math.max(column - 1, 0) });
  if (found.source === null || !found.source.startsWith("script:")) return null;
  const file = found.source.slice("script:".length);
  return { file, line: found.line, column: found.column + 1 };
}
