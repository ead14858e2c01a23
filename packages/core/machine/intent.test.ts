import { describe, expect, test } from "vitest";
import { encodeCanonical, type Hash } from "../canonical/index.ts";
import { hex } from "./hex.ts";
import { deriveIdempotencyKey, deriveIntentHash, systemIdempotencyKey } from "./intent.ts";

const hashOf = (digit: string) => `sha256:${digit.repeat(64)}` as Hash;

const parts = {
  machine: "com.acme/Workflow@1",
  machineHash: hashOf("a"),
  key: encodeCanonical("k1"),
  effect: "sys/http.request@1",
  effectHash: hashOf("b"),
  requestedKey: null,
  effectIndex: 0,
  emittedAtSeq: 42,
};
const executor = {
  module: "sys/builtin_effects@1",
  moduleHash: hashOf("c"),
  entrypoint: "http.request",
};

function intentHash(given: Partial<typeof parts> = {}, params = encodeCanonical({ x: 1 })): string {
  const { effect, effectHash } = parts;
  const idempotencyKey = deriveIdempotencyKey({ ...parts, ...given });
  return hex(deriveIntentHash({ effect, effectHash, executor, params, idempotencyKey }));
}

describe("the identity of an intent", () => {
  test("[M.R-2] [M.R-3] [M.R-4] the published vectors come out", () => {
    expect(hex(deriveIdempotencyKey(parts))).toBe(
      "37bcb2bcbf9f0dc368b959b24e0d354998c82498b2397341e4d845dbb6da22b5",
    );
    expect(intentHash()).toBe("a2735c770e77098e00e33ed4356bbe413ef5f868bd52cb1ebee49e9b4dd7ad92");
  });

  test("[M.R-5] every part of the place an effect was asked from changes it", () => {
    const requested = deriveIdempotencyKey({ ...parts, requestedKey: Uint8Array.of(1) });
    const all = [
      intentHash(),
      intentHash({ key: encodeCanonical("k2") }),
      intentHash({ effectIndex: 1 }),
      intentHash({ emittedAtSeq: 43 }),
      intentHash({ machine: "com.acme/Other@1" }),
      intentHash({ machineHash: hashOf("d") }),
      intentHash({}, encodeCanonical({ x: 2 })),
      hex(requested),
    ];
    expect(new Set(all).size).toBe(all.length);
    expect(intentHash()).toBe(intentHash({}));
  });

  test("[M.R-6] the system's own intents have the key they were given, or zeros", () => {
    const given = new Uint8Array(32).fill(7);
    expect(systemIdempotencyKey(given)).toEqual({ ok: true, key: given });
    expect(systemIdempotencyKey(null)).toEqual({ ok: true, key: new Uint8Array(32) });
    for (const length of [0, 31, 33]) {
      const key = new Uint8Array(length);
      expect(systemIdempotencyKey(key)).toEqual({ ok: false, code: "idempotency.invalid" });
    }
  });
});
