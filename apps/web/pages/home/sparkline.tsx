const hourMs = 3_600_000;
const hours = 24;
const [barWidth, gap, height] = [3, 2, 18];

/** How much was done in each of the last 24 hours. */
export function Sparkline({ times }: { readonly times: readonly number[] }) {
  const now = Date.now();
  const counts = Array.from({ length: hours }, (_, index) => {
    const from = now - (hours - index) * hourMs;
    return times.filter((at) => at > from && at <= from + hourMs).length;
  });
  const most = Math.max(1, ...counts);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const width = hours * (barWidth + gap) - gap;
  return (
    <svg
      className="sparkline"
      width={width}
      height={height}
      role="img"
      aria-label={`${total} done in the last 24 hours`}
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
