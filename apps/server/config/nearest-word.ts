/** What people write who know the thing by another name. */
const otherNames: Readonly<Record<string, string>> = {
  connections: "accounts",
  credentials: "accounts",
  database: "store",
  data: "store",
  folder: "store",
  host: "listen",
  address: "listen",
  policy: "policies",
  limits: "policies",
  notifications: "notify",
  grants: "workflows",
  url: "publicUrl",
};

/** The known word that was probably meant; null = none is near enough to be named. */
export function nearestWord(word: string, known: readonly string[]): string | null {
  const other = otherNames[word];
  if (other !== undefined && known.includes(other)) return other;
  const nearest = known
    .map((each) => ({ each, distance: distanceOf(word.toLowerCase(), each.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance)[0];
  if (nearest === undefined) return null;
  return nearest.distance <= Math.max(2, Math.floor(word.length / 3)) ? nearest.each : null;
}

/** How many letters have to be put in, taken out or changed. */
function distanceOf(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...from].entries()) {
    const here = [row + 1];
    for (let column = 1; column <= to.length; column += 1) {
      const changed = (above[column - 1] ?? 0) + (to[column - 1] === letter ? 0 : 1);
      here.push(Math.min(changed, (above[column] ?? 0) + 1, (here[column - 1] ?? 0) + 1));
    }
    above = here;
  }
  return above[to.length] ?? 0;
}
