import { host } from "./host.ts";
import { apply } from "./intrinsics.ts";

/**
 * Math.random from a seed that the host gives and records: an image that is put back would
 * otherwise begin with the same numbers each time.
 */
let a = 0;
let b = 0;
let c = 0;
let counter = 0;
/** Stirred in when the first number is asked for: most phases never ask. */
let seed: string | undefined;
let seeding: "none" | "waiting" | "done" = "none";

const { imul } = Math;
const { charCodeAt } = String.prototype;

/** Without one the host is asked for it, once it is needed: making it takes longer than a step. */
export function seedRandom(given: string | undefined): void {
  seed = given;
  seeding = "waiting";
}

/** sfc32, started from four words that the text is stirred into. */
function stir(text: string): void {
  const words: [number, number, number] = [0x9e3779b9, 0x243f6a88, 0xb7e15162];
  for (let index = 0; index < text.length; index++) {
    const at = (index % 3) as 0 | 1 | 2;
    words[at] = imul(words[at] ^ apply(charCodeAt, text, [index]), 0x01000193) ^ index;
  }
  a = words[0];
  b = words[1];
  c = words[2];
  counter = 1;
  for (let round = 0; round < 12; round++) next();
}

function next(): number {
  const sum = (a + b + counter) | 0;
  counter = (counter + 1) | 0;
  a = b ^ (b >>> 9);
  b = (c + (c << 3)) | 0;
  c = (c << 21) | (c >>> 11);
  c = (c + sum) | 0;
  return sum >>> 0;
}

/** 53 bits, as everywhere. `refuse` is called while there is no seed. */
export function replaceRandom(refuse: () => void): void {
  Math.random = function random() {
    if (seeding === "none") refuse();
    if (seeding === "waiting") stir(seed ?? (host("seed", "") as string));
    seeding = "done";
    const high = next() >>> 5;
    const low = next() >>> 6;
    return (high * 67_108_864 + low) / 9_007_199_254_740_992;
  };
}
