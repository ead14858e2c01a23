import { refuse } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import type { Policy } from "./policy.ts";
import { mendText } from "./sound-text.ts";

/** Control characters would break keys and everything people read them in. */
const controlCharacter = /\p{Cc}/u;
const utf8BytesPerCharMax = 3;

export function admitId(
  policy: Policy,
  what: string,
  id: string,
  bytesMax: number = policy.idBytesMax,
): Refusal | null {
  if (id.length === 0) return refuse("id_invalid", `The ${what} is empty.`);
  if (id.length * utf8BytesPerCharMax > bytesMax && utf8Length(id) > bytesMax) {
    return refuse("id_invalid", `The ${what} is longer than ${bytesMax} bytes.`);
  }
  if (!id.isWellFormed() || controlCharacter.test(id)) {
    return refuse("id_invalid", `The ${what} holds control characters or broken text.`);
  }
  return null;
}

/** Shown to people, never parsed: too long is cut, broken text is mended visibly. */
export function admitTitle(policy: Policy, title: string): string {
  const characters = [...mendText(title)];
  if (characters.length <= policy.titleCharsMax) return characters.join("");
  return `${characters.slice(0, policy.titleCharsMax - 1).join("")}…`;
}

export function admitSize(what: string, size: number, max: number): Refusal | null {
  if (size <= max) return null;
  return refuse("limit_exceeded", `${what}: ${size} is more than the limit of ${max}.`);
}

function utf8Length(text: string): number {
  let length = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    length += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return length;
}
