const scratch = new DataView(new ArrayBuffer(4));
const smallestNormal = 2 ** -14;
const subnormalUnit = 2 ** -24;

/**
 * The 16 bits of a number that a half-precision float holds exactly, or -1. Subnormals are
 * handled in full: cborg 6.1.5 writes most of them as 32 bits, which is not the shortest form.
 */
export function halfFloatBits(value: number): number {
  scratch.setFloat32(0, value);
  const bits = scratch.getUint32(0);
  if (scratch.getFloat32(0) !== value) return -1;
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = Math.abs(value);
  if (magnitude < smallestNormal) {
    const units = magnitude / subnormalUnit;
    return Number.isInteger(units) ? sign | units : -1;
  }
  const exponent = ((bits >>> 23) & 0xff) - 127;
  const mantissa = bits & 0x7fffff;
  if (exponent > 15 || (mantissa & 0x1fff) !== 0) return -1;
  return sign | ((exponent + 15) << 10) | (mantissa >>> 13);
}

export function halfFloatValue(bits: number): number {
  const exponent = (bits >>> 10) & 0x1f;
  const mantissa = bits & 0x3ff;
  const magnitude =
    exponent === 0
      ? mantissa * subnormalUnit
      : exponent === 31
        ? mantissa === 0
          ? Infinity
          : NaN
        : (1024 + mantissa) * 2 ** (exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}
