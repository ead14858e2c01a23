/** The code of each digit. */
const codes = Array.from({ length: 16 }, (_, digit) => digit.toString(16).charCodeAt(0));
/** So many bytes become one text at once. */
const pieceBytes = 512;

/**
 * Hashes and keys are turned into text for every cell that is looked up. A text that is made in one
 * piece takes half the time of one that is put together by the byte, and leaves nothing behind.
 */
export function hex(bytes: Uint8Array): string {
  if (bytes.length <= pieceBytes) return hexOf(bytes, 0, bytes.length);
  let text = "";
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    text += hexOf(bytes, from, Math.min(bytes.length, from + pieceBytes));
  }
  return text;
}

/** One for each length of keys and hashes, so that none has to be made for a text. */
const keptDigits = Array.from({ length: 65 }, (_, count) => new Array<number>(count).fill(0));

function hexOf(bytes: Uint8Array, from: number, end: number): string {
  const digits = keptDigits[(end - from) * 2] ?? new Array<number>((end - from) * 2);
  let next = 0;
  for (let at = from; at < end; at++) {
    const byte = bytes[at] ?? 0;
    digits[next++] = codes[byte >>> 4] ?? 0;
    digits[next++] = codes[byte & 0xf] ?? 0;
  }
  return String.fromCharCode.apply(null, digits);
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
