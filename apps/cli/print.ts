import { plainText as plain } from "@holdfast/protocol/plain-text";

export { plain };

/** One line of JSON, or a table for people. */
export function print(json: boolean, answer: unknown, shown: () => string): void {
  console.log(json ? JSON.stringify(answer) : shown());
}

/** One below the other, whatever stands in them. */
export function shownLines(all: readonly string[]): string {
  return all.length === 0 ? "(none)" : all.map(plain).join("\n");
}

/** Columns as wide as their widest cell; the last one is left as it is. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "(none)";
  const clean = [head, ...rows].map((row) => row.map(plain));
  const widths = head.map((_, column) => Math.max(...clean.map((row) => row[column]?.length ?? 0)));
  return clean
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

export function timeText(at: number | null): string {
  return at === null ? "–" : new Date(at).toISOString();
}
