/**
 * Canonical CBOR. Written by hand for this small subset: cborg 6.1.5 took about five times as long
 * to encode a ten-field record, does not check key order or depth when decoding, and does not
 * find the shortest form of small floats. The tests still check every value against it.
 */
export { decodeCanonical } from "./decode-canonical.ts";
export { encodeCanonical } from "./encode-canonical.ts";
