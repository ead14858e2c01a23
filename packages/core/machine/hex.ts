/** By the byte: hashes are turned into text for every cell that is read. */
const pairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

export function hex(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at++) text += pairs[bytes[at] ?? 0];
  return text;
}

/** What each digit stands for, by its code. */
const digits = new Uint8Array(128);
for (let digit = 0; digit < 16; digit++) {
  const [lower = ""] = digit.toString(16);
  digits[lower.charCodeAt(0)] = digit;
  digits[lower.toUpperCase().charCodeAt(0)] = digit;
}

/** Only for what `hex` made or `parseHash` accepted. */
export function unhex(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at++) {
    const high = digits[text.charCodeAt(at * 2)] ?? 0;
    bytes[at] = (high << 4) | (digits[text.charCodeAt(at * 2 + 1)] ?? 0);
  }
  return bytes;
}

export function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false;
  for (let at = 0; at < left.length; at++) if (left[at] !== right[at]) return false;
  return true;
}
