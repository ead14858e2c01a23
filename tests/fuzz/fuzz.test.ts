import { expect, test } from "vitest";
import { OwnHost } from "../end-to-end/own-host.ts";
import { fuzzHost } from "./fuzz-run.ts";

/** `npm run fuzz` makes ten times as many. */
const scale = Math.max(1, Number(process.env["HOLDFAST_FUZZ_SCALE"] ?? 1));

test(
  "no request makes the host fail, tells of another workflow, or makes it grow",
  async () => {
    const seed = Number(process.env["HOLDFAST_FUZZ_SEED"] ?? Math.floor(Math.random() * 1e6));
    const { faults, statuses, grownMiB } = await fuzzHost(new OwnHost(), {
      count: 2_000 * scale,
      warmUp: 800 * scale,
      seed,
    });
    expect({ seed, faults }).toEqual({ seed, faults: [] });
    for (const status of [200, 401, 403, 404, 422]) expect(statuses[status]).toBeGreaterThan(5);
    expect(grownMiB).toBeLessThan(96);
  },
  180_000 * scale,
);
