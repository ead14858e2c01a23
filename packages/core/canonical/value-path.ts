/** A name is text, a position in a list or an integer key is a number or bigint. */
export type PathSegment = string | number | bigint;

const plainName = /^[A-Za-z_$][A-Za-z0-9_$-]*$/;
const nameCharsShownMax = 64;

/** Writes the way to a value as a person would: `order.lines[3].qty`. */
export function formatPath(segments: readonly PathSegment[]): string {
  let path = "";
  for (const segment of segments) {
    if (typeof segment !== "string") path += `[${segment}]`;
    else if (!plainName.test(segment)) path += `[${quoteShort(segment)}]`;
    else path += path === "" ? shorten(segment) : `.${shorten(segment)}`;
  }
  return path;
}

/** Untrusted text for a message: quoted, escaped and cut to a length that keeps a line readable. */
export function quoteShort(text: string): string {
  return JSON.stringify(shorten(text));
}

function shorten(text: string): string {
  if (text.length <= nameCharsShownMax) return text;
  return `${text.slice(0, nameCharsShownMax).toWellFormed()}…`;
}
