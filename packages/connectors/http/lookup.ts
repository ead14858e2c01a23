import { z } from "zod";
import { headerName } from "../wire/header.ts";
import type { HttpParams } from "./params.ts";
import { isPointer } from "./pointer.ts";

const placeholder = /\{(\w*)\}/g;
const known = ["key", "ref", "path"] as const;
type Placeholder = (typeof known)[number];

function placeholdersIn(text: string): readonly string[] {
  return [...text.matchAll(placeholder)].map(([, name = ""]) => name);
}

const template = z
  .string()
  .max(2_000)
  .refine(
    (text) => placeholdersIn(text).every((name) => known.some((each) => each === name)),
    "it may hold {key}, {ref} and {path}, and no other",
  );

const pointer = z.string().refine(isPointer, 'it has to be a JSON pointer, such as "/orders/0"');

/** One way to find out whether a change happened: a GET, and what its answer means. */
const written = z.strictObject({
  /** Which changes it can find: `post /orders`, with `*` for one part of a path. */
  of: z
    .string()
    .regex(/^(?:post|put|patch|delete) \/\S*$/, 'it has to be such as "post /orders"')
    .optional(),
  path: template.refine((text) => /^(?:\/|\{path\})/.test(text), "it has to begin with /"),
  query: z.record(z.string(), template).default({}),
  /** How the change carries the key to the service; absent = in the idempotency header. */
  sentAs: z
    .union([
      z.strictObject({ header: headerName }),
      z.strictObject({ query: z.string().min(1) }),
      z.strictObject({ field: z.string().min(1) }),
    ])
    .optional(),
  /** Where in the answer the item is, or the list that holds it and nothing else. */
  found: pointer.default(""),
  /** What the item has to hold to be the right one. */
  match: z.record(pointer, template).default({}),
  /** The status with which the service answers the change itself. */
  status: z.int().min(200).max(299),
  /** The body with which it does, made of parts of the item; absent = the item. */
  body: z.record(z.string(), pointer).optional(),
  /** From then on a change that happened is found; absent = "not found" proves nothing. */
  visibilityDelayMs: z.int().min(0).max(86_400_000).optional(),
});

export const lookup = written.transform((given, context) => {
  const ownPath = placeholdersIn(given.path).length === 0 ? `post ${given.path}` : null;
  const of = given.of ?? ownPath;
  if (of === null) {
    context.addIssue('of has to say which changes it finds, such as "post /orders"');
    return z.NEVER;
  }
  const texts = [given.path, ...Object.values(given.query), ...Object.values(given.match)];
  const uses = [...new Set(texts.flatMap(placeholdersIn))] as readonly Placeholder[];
  if (!uses.includes("key") && !uses.includes("ref")) {
    context.addIssue("it has to ask for {key} or {ref}, or it finds the changes of others");
    return z.NEVER;
  }
  if (provesWhateverItIs(given)) {
    const text = "match or body has to say how the item is told from an error";
    context.addIssue(`found is the whole answer, so ${text}`);
    return z.NEVER;
  }
  const [operation = "", path = ""] = of.split(" ");
  return { ...given, of, operation, pathOf: path, uses };
});

/** Then any answer would be the item, also a 200 that says "try later". */
function provesWhateverItIs({ found, match, body = {} }: z.infer<typeof written>): boolean {
  return found === "" && Object.keys(match).length === 0 && Object.keys(body).length === 0;
}

export const lookups = z.union([lookup.transform((one) => [one]), z.array(lookup)]).default([]);

export type Lookup = z.infer<typeof lookup>;

export function findLookup(
  all: readonly Lookup[],
  operation: string,
  { path }: HttpParams,
): Lookup | null {
  return all.find((each) => each.operation === operation && covers(each.pathOf, path)) ?? null;
}

function covers(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split("/"), path.split("/")];
  const isAlike = (part: string, index: number) => part === "*" || part === given[index];
  return wanted.length === given.length && wanted.every(isAlike);
}

export type Filling = { readonly key: string; readonly ref: string; readonly path: string };

export function fill(text: string, filling: Filling, encode = (value: string) => value): string {
  return text.replaceAll(placeholder, (_, name: Placeholder) =>
    name === "path" ? filling.path : encode(filling[name]),
  );
}
