import type { SchemaType } from "./schema-type.ts";
import type { Walk } from "./walk.ts";

/** `bytesMax` counts UTF-8, which is what is stored. */
export type TextSchema = { readonly type: "text"; readonly bytesMax?: number };

export const textType: SchemaType<TextSchema> = {
  properties: ["bytesMax"],
  mapKey: true,
  parse: (reader) => ({ type: "text", ...reader.limit("bytesMax") }),
  compile: ({ bytesMax = Infinity }) => {
    return (value, walk) => {
      const text = admitText(value, walk);
      // A UTF-16 unit takes one to three bytes, so most texts need no counting.
      if (text.length * 3 > bytesMax) {
        const byteCount = text.length > bytesMax ? text.length : utf8ByteCount(text);
        if (byteCount > bytesMax) return walk.refuse(`text of at most ${bytesMax} bytes`, "more");
      }
      return text;
    };
  },
};

/** No Unicode normalisation: text is stored as it came, or two spellings would become one. */
export function admitText(value: unknown, walk: Walk): string {
  if (typeof value !== "string") return walk.refuseValue("text", value);
  if (!value.isWellFormed()) return walk.refuse("text", "text with a lone surrogate");
  return value;
}

export function utf8ByteCount(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // Each half of a surrogate pair stands for two of its four bytes.
    const isSurrogate = unit >= 0xd800 && unit <= 0xdfff;
    count += unit < 0x80 ? 1 : unit < 0x800 || isSurrogate ? 2 : 3;
  }
  return count;
}
