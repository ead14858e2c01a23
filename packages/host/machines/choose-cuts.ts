/** Threads that stretches are run in, each with the next one as soon as it has nothing to do. */
const lanes = 2;
/** To open a snapshot takes as long as so much of a journal: a cut must be worth it. */
const cutShare = 0.01;
/** Three make up for snapshots that lie unevenly. */
const cutsMax = 3;
/** Of more, those that lie most evenly are looked at. */
const candidatesMax = 32;

type Place = { readonly at: number; readonly end: number };

/**
 * Which snapshots a journal is cut at, so that both lanes are through as early as may be. `ends`:
 * the last record of each snapshot, in order; `last`: that of the journal.
 */
export function chooseCuts(ends: readonly number[], last: number): readonly number[] {
  const places = candidates(ends, last);
  let best: readonly Place[] = [];
  let bestTime = timeOf(best, last);
  const tryAll = (cuts: readonly Place[], from: number) => {
    for (let next = from; next < places.length; next++) {
      const place = places[next];
      if (place === undefined) return;
      const all = [...cuts, place];
      const time = timeOf(all, last);
      if (time < bestTime) [best, bestTime] = [all, time];
      if (all.length < cutsMax) tryAll(all, next + 1);
    }
  };
  tryAll([], 0);
  return best.map(({ at }) => at);
}

function candidates(ends: readonly number[], last: number): readonly Place[] {
  const all = ends.map((end, at) => ({ at, end }));
  if (all.length <= candidatesMax) return all;
  const chosen = new Set<Place>();
  let next = 0;
  for (let nth = 1; nth <= candidatesMax; nth++) {
    const wanted = (last * nth) / (candidatesMax + 1);
    const far = (at: number) => Math.abs((ends[at] ?? Number.POSITIVE_INFINITY) - wanted);
    while (next + 1 < all.length && far(next + 1) <= far(next)) next++;
    const place = all[next];
    if (place !== undefined) chosen.add(place);
  }
  return [...chosen];
}

/** When the later lane is through, in records. */
function timeOf(cuts: readonly Place[], last: number): number {
  const busyUntil = Array.from({ length: lanes }, () => 0);
  for (let index = 0; index <= cuts.length; index++) {
    const from = cuts[index - 1]?.end ?? 0;
    const opening = index === 0 ? 0 : last * cutShare;
    const earliest = Math.min(...busyUntil);
    busyUntil[busyUntil.indexOf(earliest)] = earliest + opening + (cuts[index]?.end ?? last) - from;
  }
  return Math.max(...busyUntil);
}
