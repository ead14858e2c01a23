import { ByteWriter } from "./byte-writer.ts";
import { asCanonicalError, CanonicalError, canonicalErrorInside } from "./canonical-error.ts";
import {
  type CanonicalValue,
  canonicalDepthLevelsMax,
  i64Min,
  isWholeInIntegerRange,
  u64Max,
} from "./canonical-value.ts";
import { compareIntegerKeys, shapeOf } from "./encoded-key.ts";
import { halfFloatBits } from "./half-float.ts";
import { isPlainObject } from "./plain-object.ts";
import type { PathSegment } from "./value-path.ts";
import { writeText } from "./write-text.ts";

const majorUnsigned = 0x00;
const majorNegative = 0x20;
const majorBytes = 0x40;
const majorList = 0x80;
const majorMap = 0xa0;
const byteFalse = 0xf4;
const byteTrue = 0xf5;
const byteNull = 0xf6;

const safeMin = BigInt(Number.MIN_SAFE_INTEGER);
const safeMax = BigInt(Number.MAX_SAFE_INTEGER);
const scratch = new DataView(new ArrayBuffer(8));

/** Taken while in use: a getter of the value may itself encode something. */
let idleWriter: ByteWriter | null = new ByteWriter();

/**
 * The canonical bytes of a value: tag 55799, then RFC 8949 core deterministic encoding with
 * map keys in bytewise order of their encoded form. Throws `CanonicalError`.
 */
export function encodeCanonical(value: CanonicalValue): Uint8Array {
  return withCanonical(value, (written) => written.toBytes());
}

/** The bytes of a value: `likely` itself if it has them, so that none are copied. */
export function encodeCanonicalAs(value: CanonicalValue, likely: Uint8Array): Uint8Array {
  return withCanonical(value, (written) => (written.holds(likely) ? likely : written.toBytes()));
}

/** For bytes that nobody keeps: they are there while `use` looks at them, and no longer. */
export function withCanonical<T>(value: CanonicalValue, use: (written: ByteWriter) => T): T {
  const writer = idleWriter ?? new ByteWriter();
  idleWriter = null;
  try {
    writer.writeByte(0xd9);
    writer.writeByte(0xd9);
    writer.writeByte(0xf7);
    writeValue(writer, value, 0);
    return use(writer);
  } catch (error) {
    throw asCanonicalError(error);
  } finally {
    writer.reset();
    idleWriter = writer;
  }
}

function writeValue(writer: ByteWriter, value: unknown, depth: number): void {
  switch (typeof value) {
    case "string":
      writeText(writer, value);
      return;
    case "number":
      writeNumber(writer, value);
      return;
    case "boolean":
      writer.writeByte(value ? byteTrue : byteFalse);
      return;
    case "bigint":
      writeBigint(writer, value);
      return;
    case "object":
      if (value === null) writer.writeByte(byteNull);
      else writeObject(writer, value, depth);
      return;
    default:
      throw new CanonicalError("CANONICAL_UNSUPPORTED_VALUE", `${typeof value} has no bytes`);
  }
}

function writeNumber(writer: ByteWriter, value: number): void {
  if (Number.isSafeInteger(value)) {
    if (value >= 0) writer.writeHead(majorUnsigned, value);
    else writer.writeHead(majorNegative, -1 - value);
    return;
  }
  if (!Number.isFinite(value)) {
    throw new CanonicalError("CANONICAL_NOT_FINITE", `${value} has no canonical bytes`);
  }
  if (isWholeInIntegerRange(value)) {
    const reason = `${value} is past 2^53 and may have lost digits; use a bigint`;
    throw new CanonicalError("CANONICAL_UNSAFE_INTEGER", reason);
  }
  writeFloat(writer, value);
}

function writeFloat(writer: ByteWriter, value: number): void {
  if (Math.fround(value) !== value) {
    scratch.setFloat64(0, value);
    writer.writeByte(0xfb);
    writer.writeUint32(scratch.getUint32(0));
    writer.writeUint32(scratch.getUint32(4));
    return;
  }
  const half = halfFloatBits(value);
  if (half >= 0) {
    writer.writeByte(0xf9);
    writer.writeUint16(half);
    return;
  }
  scratch.setFloat32(0, value);
  writer.writeByte(0xfa);
  writer.writeUint32(scratch.getUint32(0));
}

function writeBigint(writer: ByteWriter, value: bigint): void {
  if (value >= safeMin && value <= safeMax) {
    writeNumber(writer, Number(value));
    return;
  }
  if (value < i64Min || value > u64Max) {
    throw new CanonicalError("CANONICAL_INTEGER_RANGE", "integer outside -2^63 to 2^64-1");
  }
  if (value >= 0n) writer.writeWideHead(majorUnsigned, value);
  else writer.writeWideHead(majorNegative, -1n - value);
}

function writeObject(writer: ByteWriter, value: object, depth: number): void {
  if (value instanceof Uint8Array) {
    writer.writeHead(majorBytes, value.length);
    writer.writeBytes(value);
    return;
  }
  // A cycle ends here too: it is the only way a finite value can nest without end.
  if (depth >= canonicalDepthLevelsMax) {
    const reason = `nested deeper than ${canonicalDepthLevelsMax} levels, or cyclic`;
    throw new CanonicalError("CANONICAL_TOO_DEEP", reason);
  }
  if (Array.isArray(value)) writeList(writer, value, depth + 1);
  else if (value instanceof Map) writeMap(writer, value, depth + 1);
  else if (isPlainObject(value)) writeRecord(writer, value, depth + 1);
  else {
    const reason = "an object that is not plain data has no bytes";
    throw new CanonicalError("CANONICAL_UNSUPPORTED_VALUE", reason);
  }
}

function writeList(writer: ByteWriter, list: readonly unknown[], depth: number): void {
  const count = list.length;
  writer.writeHead(majorList, count);
  let at = 0;
  try {
    for (; at < count; at++) writeValue(writer, list[at], depth);
  } catch (error) {
    throw canonicalErrorInside(error, at);
  }
}

type PlainRecord = Readonly<Record<string, unknown>>;

function writeRecord(writer: ByteWriter, record: PlainRecord, depth: number): void {
  const { sorted, bytes, ends } = shapeOf(Object.keys(record));
  writer.writeHead(majorMap, sorted.length);
  let inside = "";
  let from = 0;
  try {
    for (let at = 0; at < sorted.length; at++) {
      inside = sorted[at] as string;
      const end = ends[at] as number;
      writer.writePart(bytes, from, end);
      from = end;
      writeValue(writer, record[inside], depth);
    }
  } catch (error) {
    throw canonicalErrorInside(error, inside);
  }
}

/** A Map with text keys has the bytes of the record with the same entries. */
function writeMap(writer: ByteWriter, map: ReadonlyMap<unknown, unknown>, depth: number): void {
  const entries = [...map];
  if (entries.every(([key]) => typeof key === "string")) {
    writeRecord(writer, Object.fromEntries(entries), depth);
    return;
  }
  const byKey = new Map<bigint, unknown>();
  for (const [key, value] of entries) byKey.set(integerKey(key), value);
  if (byKey.size !== entries.length) {
    throw new CanonicalError("CANONICAL_KEY_DUPLICATE", "a number and a bigint are the same key");
  }
  writer.writeHead(majorMap, byKey.size);
  let inside: PathSegment = 0n;
  try {
    for (const key of [...byKey.keys()].sort(compareIntegerKeys)) {
      inside = key;
      writeBigint(writer, key);
      writeValue(writer, byKey.get(key), depth);
    }
  } catch (error) {
    throw canonicalErrorInside(error, inside);
  }
}

function integerKey(key: unknown): bigint {
  if (typeof key === "bigint") return key;
  if (typeof key === "number" && Number.isSafeInteger(key)) return BigInt(key);
  throw new CanonicalError("CANONICAL_KEY_TYPE", "keys must be all text or all integers");
}
