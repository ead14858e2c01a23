import type { AdmittedCall, Connected } from "@holdfast/connector-kit";
import { contentHash } from "@holdfast/core";
import type { Finding, Keyed, SentCall } from "../engine/ports.ts";

/** Enough to tell the few ways apart in which one account was ever set up. */
const hashChars = "sha256:".length + 16;

/** Whatever decides whether a second send, or not being found, means what it meant before. */
export function keyedNow(
  { connector, connectorVersion }: Connected,
  { guarantee, keyedBy }: AdmittedCall,
  { isElsewhere }: { readonly isElsewhere: boolean },
): Keyed {
  const { canReconcile, idempotency, visibilityDelayMs } = guarantee;
  const retentionMs = idempotency?.retentionMs ?? null;
  const relied = { canReconcile, retentionMs, visibilityDelayMs, isElsewhere };
  const hash = contentHash({ connector, connectorVersion, ...relied, keyedBy });
  return { hash: hash.slice(0, hashChars), remembers: retentionMs !== null && !isElsewhere };
}

/** Of a call of which nobody could tell how it was keyed, nothing is said. */
export function isKeyedOtherwise({ keyed }: SentCall, now: () => Keyed): boolean {
  return keyed !== undefined && keyed !== now().hash;
}

/** What is looked for in another way than it was sent may be there all the same. */
export function provesNothing(finding: Finding): Finding {
  if (finding.says !== "not_found") return finding;
  const note = `${finding.note}; that proves nothing, for its account was changed since`;
  return { says: "retry", note };
}
