import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fairShare, slackOf } from "./fair-share.ts";

describe("a host's share", () => {
  test.each([
    // hosts, owned, waiting, mine -> share, mayClaim, handOver
    [1, 0, 0, 0, 0, 0, 0],
    [1, 0, 7, 0, 7, 7, 0],
    [2, 0, 7, 0, 4, 4, 0],
    [2, 0, 1, 0, 1, 1, 0],
    [2, 4, 3, 4, 4, 0, 0],
    [2, 6, 4, 2, 5, 3, 0],
    [2, 6, 4, 0, 5, 4, 0],
    [2, 4, 0, 3, 2, 0, 0],
    [2, 4, 0, 4, 2, 0, 1],
    [2, 100, 0, 100, 50, 0, 45],
    [3, 9, 0, 9, 3, 0, 5],
    // A count that is older than what the host knows of itself, or than its last heartbeat.
    [1, 3, 0, 5, 5, 0, 0],
    [0, 0, 5, 0, 5, 5, 0],
  ])(
    "%i hosts, %i owned, %i waiting, %i of them mine: share %i, claim %i, hand over %i",
    (hosts, owned, waiting, mine, share, mayClaim, handOver) => {
      const expected = { share, mayClaim, handOver };
      expect(fairShare({ hosts, owned, waiting }, mine)).toEqual(expected);
    },
  );
});

/** Hosts with what each of them owns, and what nobody owns yet. */
const clusters = fc.record({
  counts: fc.array(fc.nat(300), { minLength: 1, maxLength: 12 }),
  waiting: fc.nat(1_000),
});

function sharesOf({ counts, waiting }: { counts: readonly number[]; waiting: number }) {
  const owned = counts.reduce((sum, count) => sum + count, 0);
  const census = { hosts: counts.length, owned, waiting };
  return counts.map((mine) => ({ mine, ...fairShare(census, mine) }));
}

describe("whatever each host owns", () => {
  test("claiming takes nobody above its share, handing over nobody below it", () => {
    fc.assert(
      fc.property(clusters, (cluster) => {
        for (const { mine, share, mayClaim, handOver } of sharesOf(cluster)) {
          expect(mayClaim).toBeLessThanOrEqual(Math.max(0, share - mine));
          expect(mayClaim).toBeLessThanOrEqual(cluster.waiting);
          if (handOver > 0) expect(mine - handOver).toBe(share + slackOf(share));
          expect(mine - handOver).toBeLessThanOrEqual(Math.max(share, mine));
          expect(mayClaim === 0 || handOver === 0).toBe(true);
          expect(mine - handOver <= share + slackOf(share)).toBe(true);
        }
      }),
    );
  });

  test("all that waits fits into what the hosts may claim together, so none is left lying", () => {
    fc.assert(
      fc.property(clusters, (cluster) => {
        const shares = sharesOf(cluster);
        const claimable = shares.reduce((sum, each) => sum + each.mayClaim, 0);
        expect(claimable).toBeGreaterThanOrEqual(cluster.waiting);
      }),
    );
  });

  test("what is handed over fits into the shares of the others", () => {
    fc.assert(
      fc.property(clusters, ({ counts }) => {
        const given = sharesOf({ counts, waiting: 0 });
        const waiting = given.reduce((sum, each) => sum + each.handOver, 0);
        const after = sharesOf({ counts: given.map((each) => each.mine - each.handOver), waiting });
        const takers = after.filter((_, index) => given[index]?.handOver === 0);
        const claimable = takers.reduce((sum, each) => sum + each.mayClaim, 0);
        expect(claimable).toBeGreaterThanOrEqual(waiting);
      }),
    );
  });
});
