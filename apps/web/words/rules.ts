import type { AllowLikeRequest } from "@holdfast/protocol";
import { type Json, valueText } from "./values.ts";

/** One value of a call that a rule can leave open, with the pointer to it. */
export type Openable = { readonly at: string; readonly name: string; readonly value: Json };

/** How far a value may differ: not at all, or any text, or any number up to one. */
export type Opening = { readonly kind: "same" } | { readonly kind: "any" } | UpTo;
type UpTo = { readonly kind: "up to"; readonly max: number };

/** Texts and numbers of records; what is inside a list stays as it is. */
export function openablesOf(value: Json, at = "", name = ""): readonly Openable[] {
  if (typeof value === "string" || typeof value === "number") return [{ at, name, value }];
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, each]) => {
    const step = key.replaceAll("~", "~0").replaceAll("/", "~1");
    return openablesOf(each as Json, `${at}/${step}`, name === "" ? key : `${name}.${key}`);
  });
}

/** As grants say it; what is not opened needs no word. */
export function constraintsOf(openings: ReadonlyMap<string, Opening>): AllowLikeRequest["where"] {
  return [...openings].flatMap<AllowLikeRequest["where"][number]>(([at, opening]) => {
    if (opening.kind === "same") return [];
    return opening.kind === "any" ? [{ at, prefix: "" }] : [{ at, min: 0, max: opening.max }];
  });
}

export function sameText(value: Json): string {
  const text = valueText(value);
  return `exactly ${text.length > 40 ? `${text.slice(0, 40)}…` : text}`;
}
