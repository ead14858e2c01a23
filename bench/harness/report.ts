import type { Measured, Result } from "./bench.ts";
import { mustText } from "./judge.ts";
import type { Machine } from "./machine.ts";

/** One line, the same for every bench: what scripts read. */
export function reportLine(bench: string, machine: Machine, results: readonly Result[]): string {
  return JSON.stringify({ bench, machine, results: results.map(onlyResult) });
}

function onlyResult({ metric, value, unit, reference, ratio, must }: Result): Result {
  return {
    metric,
    value: rounded(value),
    unit,
    ...(reference === undefined ? {} : { reference: rounded(reference) }),
    ...(ratio === undefined ? {} : { ratio: rounded(ratio) }),
    ...(must === undefined ? {} : { must }),
  };
}

/** Four digits: more would claim a precision that no measurement here has. */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

const headings = ["metric", "value", "unit", "least to most", "ratio", "must", "held against"];
const numeric = new Set([1, 3, 4]);

export function reportTable(results: readonly Measured[]): string {
  const lines = [headings, ...results.map(cells)];
  const widths = headings.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return numeric.has(column) ? cell.padStart(width) : cell.padEnd(width);
        })
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function cells({ metric, value, unit, spread, ratio, must, against }: Measured): string[] {
  return [
    metric,
    shown(value),
    unit,
    spread === undefined ? "" : `${shown(spread[0])} to ${shown(spread[1])}`,
    ratio === undefined ? "" : ratio.toFixed(2),
    must === undefined ? "" : mustText(must),
    against ?? "",
  ];
}

function shown(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}
