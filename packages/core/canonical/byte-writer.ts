import { CanonicalError } from "./canonical-error.ts";
import { canonicalBytesMax } from "./canonical-value.ts";

const firstBytes = 4096;
/** Names of fields are shorter: a call that copies takes longer than they do. */
const loopBytesMax = 24;
const keptBytesMax = 1024 * 1024;

/** A growing buffer for CBOR heads and payloads; heads are always the shortest form. */
export class ByteWriter {
  buffer: Uint8Array;
  length = 0;

  constructor(capacity: number = firstBytes) {
    this.buffer = new Uint8Array(capacity);
  }

  /** One huge value must not hold its memory for the life of the process. */
  reset(): void {
    this.length = 0;
    if (this.buffer.length > keptBytesMax) this.buffer = new Uint8Array(firstBytes);
  }

  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.buffer.length) return;
    if (needed > canonicalBytesMax) {
      throw new CanonicalError("CANONICAL_TOO_LARGE", `over ${canonicalBytesMax} bytes`);
    }
    const grown = new Uint8Array(Math.min(canonicalBytesMax, Math.max(needed, needed * 2)));
    grown.set(this.buffer.subarray(0, this.length));
    this.buffer = grown;
  }

  writeByte(byte: number): void {
    this.reserve(1);
    this.buffer[this.length++] = byte;
  }

  writeBytes(bytes: Uint8Array): void {
    const count = bytes.length;
    this.reserve(count);
    const { buffer, length } = this;
    if (count > loopBytesMax) buffer.set(bytes, length);
    else for (let at = 0; at < count; at++) buffer[length + at] = bytes[at] ?? 0;
    this.length = length + count;
  }

  /** Of bytes that lie one after the other. */
  writePart(bytes: Uint8Array, from: number, end: number): void {
    if (end - from > loopBytesMax) return this.writeBytes(bytes.subarray(from, end));
    this.reserve(end - from);
    const { buffer } = this;
    let { length } = this;
    for (let at = from; at < end; at++) buffer[length++] = bytes[at] ?? 0;
    this.length = length;
  }

  writeUint16(value: number): void {
    this.reserve(2);
    this.buffer[this.length++] = value >>> 8;
    this.buffer[this.length++] = value;
  }

  writeUint32(value: number): void {
    this.reserve(4);
    const { buffer, length } = this;
    buffer[length] = value >>> 24;
    buffer[length + 1] = value >>> 16;
    buffer[length + 2] = value >>> 8;
    buffer[length + 3] = value;
    this.length = length + 4;
  }

  /** `major` is the major type already shifted into the top three bits. */
  writeHead(major: number, argument: number): void {
    if (argument < 24) {
      this.writeByte(major | argument);
    } else if (argument < 0x100) {
      this.writeByte(major | 24);
      this.writeByte(argument);
    } else if (argument < 0x10000) {
      this.writeByte(major | 25);
      this.writeUint16(argument);
    } else if (argument < 0x100000000) {
      this.writeByte(major | 26);
      this.writeUint32(argument);
    } else {
      this.writeByte(major | 27);
      this.writeUint32(Math.floor(argument / 0x100000000));
      this.writeUint32(argument % 0x100000000);
    }
  }

  /** For arguments past 2^53, which always take the longest head. */
  writeWideHead(major: number, argument: bigint): void {
    this.writeByte(major | 27);
    this.writeUint32(Number(argument >> 32n));
    this.writeUint32(Number(argument & 0xffffffffn));
  }

  /** Whether exactly these were written. */
  holds(bytes: Uint8Array): boolean {
    const { buffer, length } = this;
    if (bytes.length !== length) return false;
    for (let at = 0; at < length; at++) if (buffer[at] !== bytes[at]) return false;
    return true;
  }

  toBytes(): Uint8Array {
    return this.buffer.slice(0, this.length);
  }
}
