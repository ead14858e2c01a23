import { describe, expect, test } from "vitest";
import type { Image } from "./image.ts";
import { OwnCopies } from "./own-copies.ts";

const mebibyte = 1_024 * 1_024;

function shared(name: string, size = 8): Image {
  const bytes = new SharedArrayBuffer(size);
  new Uint8Array(bytes).fill(name.length);
  return { bytes, heapEnd: size, name };
}

describe("an image that threads share", () => {
  test("is copied when it is put back the second time, and only then", () => {
    const copies = new OwnCopies();
    const image = shared("four");
    expect(copies.bytesOf(image)).toBe(image.bytes);
    const own = copies.bytesOf(image);
    expect(own).toBeInstanceOf(ArrayBuffer);
    expect([...new Uint8Array(own)]).toEqual(Array.from({ length: 8 }, () => 4));
    expect(copies.bytesOf({ ...image })).toBe(own);
  });

  test("is let go when others were used since and there is no room", () => {
    const copies = new OwnCopies();
    const images = ["a", "bb", "ccc"].map((name) => shared(name, 7 * mebibyte));
    const owned = (image: Image | undefined) => {
      if (image === undefined) throw new Error("no image");
      copies.bytesOf(image);
      return copies.bytesOf(image);
    };
    const [first, second] = images.map(owned);
    expect(owned(images[2])).toBeInstanceOf(ArrayBuffer);
    expect(owned(images[1])).toBe(second);
    expect(owned(images[0])).not.toBe(first);
  });

  test("stays as it is where it would fill all the room", () => {
    const copies = new OwnCopies();
    const large = shared("large", 17 * mebibyte);
    copies.bytesOf(large);
    expect(copies.bytesOf(large)).toBe(large.bytes);
  });
});
