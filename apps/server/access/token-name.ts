import { userInfo } from "node:os";

/** One way to write each name: it stands in the journal, and nobody is to be taken for another. */
const pattern = /^[a-z0-9][a-z0-9._@-]{0,63}$/;

/** What the journal calls something else by, or what reads as if nobody or everybody had asked. */
const reserved = new Set(["host", "webhook", "holdfast", "system", "script", "nobody", "anyone"]);

/** Why it cannot be the name of a token; null = it can. */
export function whyNotName(name: string): string | null {
  if (!pattern.test(name)) {
    return "has 1 to 64 of a-z, 0-9, dot, dash, underscore and @, the first a letter or digit";
  }
  return reserved.has(name) ? `is not ${name}: that one is kept for the host itself` : null;
}

/** Whoever runs this process, as far as the system knows. */
export function nameOfUser(): string {
  const name = systemName()
    .toLowerCase()
    .replaceAll(/[^a-z0-9._@-]/g, "-");
  return whyNotName(name) === null ? name : "admin";
}

/** In a container a user may have a number and no name. */
function systemName(): string {
  try {
    return userInfo().username;
  } catch {
    return "admin";
  }
}
