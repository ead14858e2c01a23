import { ByteReader } from "./byte-reader.ts";
import { CanonicalError } from "./canonical-error.ts";
import {
  type CanonicalValue,
  canonicalBytesMax,
  canonicalDepthLevelsMax,
  isWholeInIntegerRange,
} from "./canonical-value.ts";
import { checkOrder } from "./check-order.ts";
import { halfFloatBits, halfFloatValue } from "./half-float.ts";
import { setOwn } from "./plain-object.ts";
import { readName, readText } from "./read-text.ts";

/**
 * The value of canonical bytes. Every rule of the encoding is checked while reading, so bytes
 * that are accepted are exactly the bytes `encodeCanonical` gives for the value (the fuzz tests
 * hold this). Integers come back as `number` when safe and as `bigint` otherwise, whatever they
 * were before; a schema restores the declared type. Throws `CanonicalError` with the offset.
 */
export function decodeCanonical(bytes: Uint8Array): CanonicalValue {
  if (!(bytes instanceof Uint8Array)) {
    throw new CanonicalError("CANONICAL_NOT_BYTES", "expected bytes");
  }
  const reader = new ByteReader(bytes);
  if (bytes.length > canonicalBytesMax) {
    reader.refuse("CANONICAL_TOO_LARGE", `over ${canonicalBytesMax} bytes`, 0);
  }
  if (bytes[0] !== 0xd9 || bytes[1] !== 0xd9 || bytes[2] !== 0xf7) {
    reader.refuse("CANONICAL_TAG_MISSING", "the bytes do not begin with d9d9f7", 0);
  }
  reader.at = 3;
  const value = readValue(reader, 0);
  if (reader.at !== bytes.length) {
    reader.refuse("CANONICAL_TRAILING_BYTES", "bytes follow the value", reader.at);
  }
  return value;
}

function readValue(reader: ByteReader, depth: number): CanonicalValue {
  const initial = reader.readByte();
  switch (initial >>> 5) {
    case 0:
      return readUnsigned(reader, initial);
    case 1:
      return readNegative(reader, initial);
    case 2:
      return reader.copyFrom(reader.skip(reader.readCount(initial, 1)));
    case 3:
      return readText(reader, initial);
    case 4:
      return readList(reader, initial, depth);
    case 5:
      return readMap(reader, initial, depth);
    case 6:
      return reader.refuse(
        "CANONICAL_TAG_UNSUPPORTED",
        "only the first tag is known",
        reader.at - 1,
      );
    default:
      return readSimple(reader, initial);
  }
}

function readUnsigned(reader: ByteReader, initial: number): number | bigint {
  const argument = reader.readArgument(initial);
  return argument >= 0 ? argument : reader.wide;
}

function readNegative(reader: ByteReader, initial: number): number | bigint {
  const headAt = reader.at - 1;
  const argument = reader.readArgument(initial);
  if (argument >= 0) {
    // -1 - (2^53 - 1) is -2^53, one past the safe integers.
    return argument < Number.MAX_SAFE_INTEGER ? -1 - argument : -1n - BigInt(argument);
  }
  if (reader.wide >= 2n ** 63n) {
    reader.refuse("CANONICAL_INTEGER_RANGE", "integer below -2^63", headAt);
  }
  return -1n - reader.wide;
}

function readSimple(reader: ByteReader, initial: number): boolean | null | number {
  const headAt = reader.at - 1;
  switch (initial) {
    case 0xf4:
      return false;
    case 0xf5:
      return true;
    case 0xf6:
      return null;
    case 0xf9:
      return checkFloat(reader, halfFloatValue(reader.view.getUint16(reader.skip(2))), 2);
    case 0xfa:
      return checkFloat(reader, reader.view.getFloat32(reader.skip(4)), 4);
    case 0xfb:
      return checkFloat(reader, reader.view.getFloat64(reader.skip(8)), 8);
    case 0xff:
      return reader.refuse("CANONICAL_INDEFINITE_LENGTH", "break without a start", headAt);
    default:
      return reader.refuse("CANONICAL_SIMPLE_UNSUPPORTED", "only false, true, null", headAt);
  }
}

function checkFloat(reader: ByteReader, value: number, byteCount: 2 | 4 | 8): number {
  const headAt = reader.at - byteCount - 1;
  if (!Number.isFinite(value)) {
    reader.refuse("CANONICAL_NOT_FINITE", "NaN and infinities are not values", headAt);
  }
  if (isWholeInIntegerRange(value)) {
    reader.refuse("CANONICAL_FLOAT_IS_INTEGER", "a whole number must be an integer", headAt);
  }
  const shorterHolds =
    (byteCount === 8 && Math.fround(value) === value) ||
    (byteCount === 4 && halfFloatBits(value) >= 0);
  if (shorterHolds) reader.refuse("CANONICAL_NOT_SHORTEST", "a shorter float exists", headAt);
  return value;
}

function enterLevel(reader: ByteReader, depth: number): number {
  if (depth < canonicalDepthLevelsMax) return depth + 1;
  const reason = `nested deeper than ${canonicalDepthLevelsMax} levels`;
  return reader.refuse("CANONICAL_TOO_DEEP", reason, reader.at - 1);
}

function readList(reader: ByteReader, initial: number, depth: number): CanonicalValue {
  const inner = enterLevel(reader, depth);
  const count = reader.readCount(initial, 1);
  const list: CanonicalValue[] = [];
  for (let at = 0; at < count; at++) list.push(readValue(reader, inner));
  return list;
}

function readMap(reader: ByteReader, initial: number, depth: number): CanonicalValue {
  const inner = enterLevel(reader, depth);
  const count = reader.readCount(initial, 2);
  const firstMajor = (reader.bytes[reader.at] ?? 0) >>> 5;
  if (count > 0 && firstMajor < 2) return readIntegerMap(reader, count, inner);
  const record: Record<string, CanonicalValue> = {};
  let previousAt = -1;
  let previousEnd = -1;
  for (let entry = 0; entry < count; entry++) {
    const keyAt = reader.at;
    const keyInitial = reader.readByte();
    if (keyInitial >>> 5 !== 3) refuseKeyType(reader, keyAt);
    const key = readName(reader, keyInitial);
    if (entry > 0) checkOrder(reader, previousAt, previousEnd, keyAt);
    previousAt = keyAt;
    previousEnd = reader.at;
    setOwn(record, key, readValue(reader, inner));
  }
  return record;
}

function readIntegerMap(reader: ByteReader, count: number, depth: number): CanonicalValue {
  const map = new Map<number | bigint, CanonicalValue>();
  let previousAt = -1;
  let previousEnd = -1;
  for (let entry = 0; entry < count; entry++) {
    const keyAt = reader.at;
    const keyInitial = reader.readByte();
    if (keyInitial >>> 5 > 1) refuseKeyType(reader, keyAt);
    const key =
      keyInitial >>> 5 === 0 ? readUnsigned(reader, keyInitial) : readNegative(reader, keyInitial);
    if (entry > 0) checkOrder(reader, previousAt, previousEnd, keyAt);
    previousAt = keyAt;
    previousEnd = reader.at;
    map.set(key, readValue(reader, depth));
  }
  return map;
}

function refuseKeyType(reader: ByteReader, keyAt: number): never {
  const reason = "the keys of a map are all text or all integers";
  return reader.refuse("CANONICAL_KEY_TYPE", reason, keyAt);
}
