import {
  type Ask,
  encodeCanonical,
  encodeGrants,
  plainGrants,
  type Verdict,
  type View,
} from "@holdfast/core";
import type { Choice } from "./random-command.ts";

/** Now and then one of grants that are no longer in force, which is refused. */
export function verdictOf(
  { view, choice }: { readonly view: View; readonly choice: Choice },
  says: Verdict["says"],
): Verdict {
  const inForce = view.find("workflows")?.envelope ?? 0;
  return { envelope: choice.a % 11 === 0 ? inForce + 1 : inForce, grant: 0, says };
}

export function askOf(expiresAt: number): Ask {
  return { previewHash: "p", preview: "post an order", fourEyes: false, expiresAt };
}

/** The same few over and over, and sometimes what is no list of grants. */
export function grantsOf({ a }: Choice): Uint8Array {
  if (a % 9 === 0) return encodeCanonical([{ operation: "shop.post", say: "perhaps" }]);
  const operations = a % 2 === 0 ? ["shop.post"] : ["shop.post", "shop.put"];
  return encodeGrants(plainGrants(a % 3 === 0 ? "ask" : "allow", operations));
}
