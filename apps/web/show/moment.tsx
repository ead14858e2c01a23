import { useEffect, useState } from "react";
import { clockTime, exactTime, nextTickMs, relativeTime } from "../words/times.ts";

/** The time of the viewer's clock, told again as often as a text about `at` changes. */
function useNow(at: number | null): number {
  const [ticked, setTicked] = useState(() => Date.now());
  useEffect(() => {
    if (at === null) return;
    const timer = window.setTimeout(() => setTicked(Date.now()), nextTickMs(at, ticked));
    return () => window.clearTimeout(timer);
  }, [at, ticked]);
  // Of another moment than at the last tick: what has just happened is not still to come.
  return Math.max(ticked, Date.now());
}

type Props = { readonly at: number | null; readonly none?: string };

/** "2 min ago", with the exact instant on hover. */
export function Moment({ at, none = "–" }: Props) {
  const now = useNow(at);
  if (at === null) return <span className="quiet">{none}</span>;
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at)}>
      {relativeTime(at, now)}
    </time>
  );
}

/** Of what is to come; what is late is only held up. */
export function Due({ at, none }: { readonly at: number | null; readonly none: string }) {
  const now = useNow(at);
  return at !== null && at <= now ? <span>as soon as it can</span> : <Moment at={at} none={none} />;
}

/** The exact instant, for a row of a timeline. */
export function Clock({ at }: { readonly at: number }) {
  return (
    <time className="clock" dateTime={new Date(at).toISOString()} title={exactTime(at)}>
      {clockTime(at, Date.now())}
    </time>
  );
}
