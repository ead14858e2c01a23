const [barWidth, gap, height] = [3, 2, 18];

/** How much was done of what was begun in each of the last hours, the oldest first. */
export function Sparkline({ counts }: { readonly counts: readonly number[] }) {
  const most = Math.max(1, ...counts);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const width = counts.length * (barWidth + gap) - gap;
  return (
    <svg
      className="sparkline"
      width={width}
      height={height}
      role="img"
      aria-label={`${total} done in the last ${counts.length} hours`}
    >
      {counts.map((count, index) => {
        const tall = count === 0 ? 1 : Math.max(3, (count / most) * height);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: an hour is known by its place
            key={index}
            className={count === 0 ? "none" : undefined}
            x={index * (barWidth + gap)}
            y={height - tall}
            width={barWidth}
            height={tall}
          />
        );
      })}
    </svg>
  );
}
