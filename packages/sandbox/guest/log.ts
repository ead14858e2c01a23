import { host } from "./host.ts";
import { bare, cut, freeze, glue, stringifyJson, text } from "./intrinsics.ts";

const lineCharsMax = 4_000;

/** For people; what cannot be shown is shown as what it is. */
function show(value: unknown): string {
  if (typeof value === "string") return cut(value, lineCharsMax);
  try {
    const shown = typeof value === "object" ? stringifyJson(value) : undefined;
    return cut(shown ?? text(value), lineCharsMax);
  } catch {
    return glue("[", typeof value, "]");
  }
}

export function writeLog(...given: readonly unknown[]): void {
  let line = "";
  for (let index = 0; index < given.length && line.length < lineCharsMax; index++) {
    line += (index === 0 ? "" : " ") + show(given[index]);
  }
  host("log", cut(line, lineCharsMax));
}

/** What people reach for first. */
export function makeConsole(): object {
  const members = bare<unknown>();
  for (const name of ["log", "info", "warn", "error", "debug"]) members[name] = writeLog;
  return freeze(members);
}
