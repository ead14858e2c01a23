/** Two snapshots have to be opened instead of one: it must take so much off the longer share. */
const worthwhile = 0.1;

/**
 * Which snapshots a journal is cut at, so that two threads have about the same to do: the one that
 * is nearest to its middle, or two with about half of it between them. Then one thread has what is
 * between, and the other what is before and behind. `ends`: the last record of each snapshot, in
 * order; `last`: that of the journal.
 */
export function chooseCuts(ends: readonly number[], last: number): readonly number[] {
  const longer = (from: number, to: number | undefined = last) =>
    Math.max(to - from, last - (to - from));
  let one: Cuts | null = null;
  let two: Cuts | null = null;
  let second = 0;
  for (const [first, from] of ends.entries()) {
    one = better(one, { at: [first], share: longer(from) });
    second = Math.max(second, first + 1);
    // The further the first, the further the one that is best with it.
    while (second + 1 < ends.length && longer(from, ends[second + 1]) <= longer(from, ends[second]))
      second++;
    if (second < ends.length) {
      two = better(two, { at: [first, second], share: longer(from, ends[second]) });
    }
  }
  const isWorthwhile = one !== null && two !== null && one.share - two.share > last * worthwhile;
  return (isWorthwhile ? two : one)?.at ?? [];
}

/** `share`: records of the thread that has more of them. */
type Cuts = { readonly at: readonly number[]; readonly share: number };

function better(known: Cuts | null, other: Cuts): Cuts {
  return known === null || other.share < known.share ? other : known;
}
