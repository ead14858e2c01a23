import type { Hash } from "@holdfast/core";

/** Sixteen MiB: of ten million marks one stranger in a hundred is taken for marked. */
const bitCount = 2 ** 27;
const wordsPerMark = 6;
const prefixChars = "sha256:".length;

/**
 * Which parts were seen, in memory that does not grow with them: whatever was added is known; of
 * what was not, a few are taken for known, others each time, since the salt is another. They are
 * kept until then.
 */
export class PartMarks {
  readonly #bits = new Uint8Array(bitCount / 8);
  readonly #salt: readonly number[];

  constructor(salt: Uint8Array) {
    const view = new DataView(salt.buffer, salt.byteOffset, salt.byteLength);
    this.#salt = Array.from({ length: wordsPerMark }, (_, at) => view.getUint32(at * 4));
  }

  add(hash: Hash): void {
    for (const bit of this.#placesOf(hash)) {
      const byte = bit >>> 3;
      this.#bits[byte] = (this.#bits[byte] ?? 0) | (1 << (bit & 7));
    }
  }

  has(hash: Hash): boolean {
    return this.#placesOf(hash).every((bit) => ((this.#bits[bit >>> 3] ?? 0) >> (bit & 7)) & 1);
  }

  /** The hash is as good as chance already: each of its words is a place. */
  #placesOf(hash: Hash): readonly number[] {
    return this.#salt.map((salt, at) => {
      const from = prefixChars + at * 8;
      const word = Number.parseInt(hash.slice(from, from + 8), 16);
      return ((word ^ salt) >>> 0) % bitCount;
    });
  }
}
