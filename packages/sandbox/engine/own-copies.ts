import type { Image } from "./image.ts";

/** For each thread. Some dozen small scripts fit. */
const ownBytesMax = 16 * 1_024 * 1_024;
const seenMax = 1_024;

/**
 * Copies of images that threads share. Reading shared memory takes three times as long, because
 * it is read word by word; so what is put back a second time is first made one's own.
 */
export class OwnCopies {
  /** In the order of their last use. */
  readonly #copies = new Map<string, ArrayBuffer>();
  readonly #seen = new Set<string>();
  #bytes = 0;

  bytesOf({ name, bytes }: Image): Image["bytes"] {
    if (bytes instanceof ArrayBuffer) return bytes;
    const known = this.#copies.get(name);
    if (known !== undefined) {
      this.#copies.delete(name);
      this.#copies.set(name, known);
      return known;
    }
    if (this.#isFirst(name) || bytes.byteLength > ownBytesMax) return bytes;
    return this.#copy(name, bytes);
  }

  #isFirst(name: string): boolean {
    if (this.#seen.has(name)) return false;
    if (this.#seen.size >= seenMax) this.#seen.clear();
    this.#seen.add(name);
    return true;
  }

  #copy(name: string, bytes: SharedArrayBuffer): ArrayBuffer {
    const own = new ArrayBuffer(bytes.byteLength);
    new Uint8Array(own).set(new Uint8Array(bytes));
    this.#copies.set(name, own);
    this.#bytes += own.byteLength;
    for (const [oldest, { byteLength }] of this.#copies) {
      if (this.#bytes <= ownBytesMax) break;
      this.#copies.delete(oldest);
      this.#bytes -= byteLength;
    }
    return own;
  }
}
