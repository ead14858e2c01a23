import { type KeyPlace, readKey, unreadable } from "./key.ts";
import { isSealed, unsealText } from "./sealed-text.ts";

/**
 * A copy with texts in place of what is sealed, at any depth. The key is only looked for if
 * something is. Throws SECRET_UNREADABLE with the place of what cannot be read, and no values.
 */
export function unsealAll(given: unknown, place: KeyPlace, path: string): unknown {
  if (isSealed(given)) {
    const text = unsealText(given, readKey(place));
    if (text === null) {
      throw unreadable(`${path} was sealed with another key, or was changed since`);
    }
    return text;
  }
  if (Array.isArray(given)) {
    return given.map((each, index) => unsealAll(each, place, `${path}[${index}]`));
  }
  if (typeof given !== "object" || given === null) return given;
  const entries = Object.entries(given).map(([name, value]) => {
    return [name, unsealAll(value, place, `${path}.${name}`)];
  });
  return Object.fromEntries(entries);
}
