/** The value below which `share` of the samples lie; between two samples it is interpolated. */
export function percentile(samples: readonly number[], share: number): number {
  if (samples.length === 0) throw new RangeError("no samples were taken");
  if (!(share >= 0 && share <= 1)) throw new RangeError(`share ${share} is not within 0 and 1`);
  const sorted = Float64Array.from(samples).sort();
  const place = share * (sorted.length - 1);
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

export function median(samples: readonly number[]): number {
  return percentile(samples, 0.5);
}

export function spreadOf(samples: readonly number[]): readonly [number, number] {
  return [percentile(samples, 0), percentile(samples, 1)];
}
