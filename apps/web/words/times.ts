const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** "2 min ago", "in 40 s"; "now" for what is as good as now. */
export function relativeTime(at: number, now: number): string {
  const away = at - now;
  const size = Math.abs(away);
  if (size < 2 * second) return "now";
  const text = lengthText(size);
  return away > 0 ? `in ${text}` : `${text} ago`;
}

/** How long something takes or took, in one unit. */
export function lengthText(ms: number): string {
  if (ms < second) return `${Math.round(ms)} ms`;
  if (ms < minute) return `${Math.floor(ms / second)} s`;
  if (ms < hour) return `${Math.floor(ms / minute)} min`;
  if (ms < 2 * day) return `${Math.floor(ms / hour)} h`;
  return `${Math.floor(ms / day)} days`;
}

/** When the text of `relativeTime` is another one, at the earliest. */
export function nextTickMs(at: number, now: number): number {
  const size = Math.abs(at - now);
  if (size < 2 * minute) return second;
  return size < 2 * hour ? 15 * second : 5 * minute;
}

const dayAndTime = new Intl.DateTimeFormat(undefined, {
  dateStyle: "medium",
  timeStyle: "medium",
});
const timeOnly = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

/** In the viewer's zone, with its name. */
export function exactTime(at: number): string {
  return `${dayAndTime.format(at)} (${zoneName()})`;
}

/** For a timeline: today only the time, else the day as well. */
export function clockTime(at: number, now: number): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString();
  return isToday ? timeOnly.format(at) : dayAndTime.format(at);
}

export function zoneName(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
