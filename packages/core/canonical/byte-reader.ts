import { CanonicalError, type CanonicalErrorCode } from "./canonical-error.ts";

/** Up to a hash a loop takes no longer than a view to copy from, and leaves nothing behind. */
const loopBytesMax = 32;

/** Reads CBOR heads and refuses every form of a head but the shortest. */
export class ByteReader {
  readonly bytes: Uint8Array;
  private madeView: DataView | null = null;
  at = 0;
  /** The argument of the last head when it is past 2^53; `readArgument` then gives -1. */
  wide = 0n;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** Made when a float or a long head needs it: small values are read faster than it is made. */
  get view(): DataView {
    const { buffer, byteOffset, byteLength } = this.bytes;
    this.madeView ??= new DataView(buffer, byteOffset, byteLength);
    return this.madeView;
  }

  refuse(code: CanonicalErrorCode, reason: string, offset: number): never {
    throw new CanonicalError(code, reason, { offset });
  }

  readByte(): number {
    const byte = this.bytes[this.at];
    if (byte === undefined) this.refuse("CANONICAL_TRUNCATED", "the bytes end early", this.at);
    this.at++;
    return byte;
  }

  /** Moves past `count` bytes and gives where they began. */
  skip(count: number): number {
    const start = this.at;
    if (count > this.bytes.length - start) {
      this.refuse("CANONICAL_TRUNCATED", "the bytes end early", this.bytes.length);
    }
    this.at = start + count;
    return start;
  }

  /** What was read since then, in memory of its own. */
  copyFrom(start: number): Uint8Array {
    const { bytes } = this;
    const count = this.at - start;
    if (count > loopBytesMax) return new Uint8Array(bytes.subarray(start, this.at));
    const copy = new Uint8Array(count);
    for (let at = 0; at < count; at++) copy[at] = bytes[start + at] ?? 0;
    return copy;
  }

  /** `initial` is the head's first byte, already read. */
  readArgument(initial: number): number {
    const info = initial & 0x1f;
    if (info < 24) return info;
    const headAt = this.at - 1;
    switch (info) {
      case 24:
        return this.shortest(this.readByte(), 24, headAt);
      case 25:
        return this.shortest(this.view.getUint16(this.skip(2)), 0x100, headAt);
      case 26:
        return this.shortest(this.view.getUint32(this.skip(4)), 0x10000, headAt);
      case 27:
        return this.readLongArgument(headAt);
      case 31:
        return this.refuse("CANONICAL_INDEFINITE_LENGTH", "indefinite length", headAt);
      default:
        return this.refuse("CANONICAL_MALFORMED", "reserved head", headAt);
    }
  }

  private readLongArgument(headAt: number): number {
    const start = this.skip(8);
    const high = this.shortest(this.view.getUint32(start), 1, headAt);
    const argument = high * 0x100000000 + this.view.getUint32(start + 4);
    if (argument <= Number.MAX_SAFE_INTEGER) return argument;
    this.wide = this.view.getBigUint64(start);
    return -1;
  }

  private shortest(argument: number, least: number, headAt: number): number {
    if (argument >= least) return argument;
    return this.refuse("CANONICAL_NOT_SHORTEST", "a shorter head exists", headAt);
  }

  /** A length or count; every item takes at least `bytesEach`, so a lie is caught before a loop. */
  readCount(initial: number, bytesEach: number): number {
    const count = this.readArgument(initial);
    if (count < 0 || count * bytesEach > this.bytes.length - this.at) {
      this.refuse("CANONICAL_TRUNCATED", "the bytes end early", this.bytes.length);
    }
    return count;
  }
}
