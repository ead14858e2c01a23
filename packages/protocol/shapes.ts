import { z } from "zod";

/** What is answered is never changed by who reads it; later versions may say more. */
export function said<S extends z.core.$ZodLooseShape>(shape: S) {
  return z.object(shape).readonly();
}

export function list<T extends z.ZodType>(item: T) {
  return z.array(item).readonly();
}

/** Newest first; `next` is to be given back as `after`, null = there is no more. */
export function page<T extends z.ZodType>(item: T) {
  return said({ items: list(item), next: z.string().nullable() });
}

/** Milliseconds since 1970. */
export const instant = z.int();

/** Told as it is kept; which fields there are depends on what it is about. */
export const detail = z.looseObject({}).readonly();

/** One value that is not what it was, by its JSON pointer; absent = there was none, or is none. */
export const valueChange = said({
  at: z.string(),
  from: z.unknown().optional(),
  to: z.unknown().optional(),
});

/** What a connector says of an operation, for whoever is to grant or approve it. */
export const declared = {
  /** What it gives power over, such as `mail:send`. */
  capability: z.string(),
  risk: z.enum(["low", "medium", "high"]),
  /** What a call can be narrowed to; `at` null = no grant can. */
  scopes: list(said({ name: z.string(), at: z.string().nullable() })),
};
