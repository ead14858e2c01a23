import { Random } from "@holdfast/host/testing";

/**
 * Ways to put several lists into one without changing the order inside any: first each list after
 * the other, then others. All of them where there are no more than `countMax`, else drawn ones.
 */
export function ordersOf(
  counts: readonly number[],
  { countMax, seed }: { readonly countMax: number; readonly seed: number },
): readonly (readonly number[])[] {
  const all = orderCount(counts, countMax) <= countMax;
  if (all) return [...everyOrderOf(counts)];
  const random = new Random(seed);
  const drawn = new Map<string, readonly number[]>();
  const first = counts.flatMap((count, at) => Array<number>(count).fill(at));
  drawn.set(first.join(), first);
  while (drawn.size < countMax) {
    const order = shuffled(first, random);
    drawn.set(order.join(), order);
  }
  return [...drawn.values()];
}

/** How many there are; counted no further than to see that they are too many. */
function orderCount(counts: readonly number[], enough: number): number {
  let ways = 1;
  let placed = 0;
  for (const count of counts) {
    for (let each = 1; each <= count; each++) {
      placed += 1;
      ways = (ways * placed) / each;
    }
    if (ways > enough) return ways;
  }
  return ways;
}

function* everyOrderOf(counts: readonly number[]): Generator<readonly number[]> {
  if (counts.every((count) => count === 0)) yield [];
  for (const [at, count] of counts.entries()) {
    if (count === 0) continue;
    for (const rest of everyOrderOf(counts.with(at, count - 1))) yield [at, ...rest];
  }
}

function shuffled(given: readonly number[], random: Random): readonly number[] {
  const order = [...given];
  for (let at = order.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    const [here, there] = [order[at] ?? 0, order[other] ?? 0];
    order[at] = there;
    order[other] = here;
  }
  return order;
}
