const prefix = "item ";
const placeholder = /\{[^}]*\}/u;

/**
 * Whether the id can have been made in one of these forms, by their fixed parts. True also where
 * nobody knows the forms: an item is called left behind only if that is certain.
 */
export function fitsForms(itemId: string, forms: readonly string[] | null): boolean {
  const ids = forms?.filter((form) => form.startsWith(prefix)) ?? [];
  if (ids.length === 0) return forms === null;
  return ids.some((form) => fits(itemId, form.slice(prefix.length).split(placeholder)));
}

/** The parts come one after the other, the first at the beginning and the last at the end. */
function fits(itemId: string, parts: readonly string[]): boolean {
  const [first = "", ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return itemId === first;
  if (!itemId.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = itemId.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return itemId.length - last.length >= at && itemId.endsWith(last);
}
