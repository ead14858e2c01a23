import { expect, test } from "vitest";
import { hex, unhex } from "./hex.ts";

test.each([0, 1, 32, 511, 512, 513, 5_000])(
  "writes %i bytes as two digits each, and reads them",
  (length) => {
    const bytes = Uint8Array.from({ length }, (_, at) => (at * 151 + length) % 256);
    expect(hex(bytes)).toBe(Buffer.from(bytes).toString("hex"));
    expect(unhex(hex(bytes))).toEqual(bytes);
  },
);
