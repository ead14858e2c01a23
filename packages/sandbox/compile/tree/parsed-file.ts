import { type Program, parseSync } from "oxc-parser";

/** A place in a source, both counted from 1 and in UTF-16 units, as editors show it. */
export type Place = { readonly file: string; readonly line: number; readonly column: number };

export type ParsedFile = {
  readonly path: string;
  readonly text: string;
  readonly program: Program;
  readonly errors: readonly { readonly cause: string; readonly offset: number }[];
  readonly placeAt: (offset: number) => Place;
};

/** Recursive and native: on hostile text it takes its process down, so call it in `apart` only. */
export function parseFile(path: string, text: string): ParsedFile {
  const lang = /\.m?ts$/.test(path) ? "ts" : "js";
  const parsed = parseSync(path, text, {
    lang,
    sourceType: "module",
    preserveParens: false,
    showSemanticErrors: true,
  });
  const errors = parsed.errors
    .filter((error) => error.severity === "Error")
    .map((error) => ({ cause: error.message, offset: error.labels[0]?.start ?? 0 }));
  return { path, text, program: parsed.program, errors, placeAt: placesOf(path, text) };
}

function placesOf(file: string, text: string): (offset: number) => Place {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { file, line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}
