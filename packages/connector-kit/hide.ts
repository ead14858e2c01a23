/** Takes credentials out of texts of others, who may repeat what they were sent. */
export type Hide = (text: string) => string;

/** Shorter ones are in every text, and guard nothing. */
const lengthMin = 4;

export function hiding(secrets: readonly string[]): Hide {
  const forms = secrets.filter((each) => each.length >= lengthMin).flatMap(formsOf);
  // The longest first: one may be the beginning of another.
  const sorted = [...new Set(forms)].sort((one, other) => other.length - one.length);
  return (text) => sorted.reduce((left, form) => left.replaceAll(form, "(hidden)"), text);
}

function formsOf(secret: string): readonly string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  return [secret, inJson, encodeURIComponent(secret)];
}
