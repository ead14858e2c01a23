import { type Rule, refuse } from "../journal/decision.ts";
import { admitSize } from "../policy/admit.ts";
import { pinPayload } from "../view/payload.ts";
import { findOpenProposal } from "./find-proposal.ts";

export type ShadowVersion = {
  readonly kind: "shadow_version";
  readonly number: number;
  /** Of what was tried. */
  readonly patchHash: string;
  /** Canonical bytes of what it came to. */
  readonly report: Uint8Array;
  readonly actor: string;
};

/** It was tried on a copy of what there is; all that is kept of that is the report. */
export const shadowVersion: Rule<ShadowVersion> = (draft, command) => {
  const { number, patchHash, report, actor } = command;
  const found = findOpenProposal(draft.view, number);
  if ("code" in found) return found;
  if (patchHash !== found.body.hash) return refuse("proposal_differs");
  const tooLarge = admitSize("report in bytes", report.length, draft.view.policy.payloadBytesMax);
  if (tooLarge) return tooLarge;
  const { payload, blob } = pinPayload(report);
  draft.store(blob);
  const status = found.status === "approved" ? "approved" : "shadowed";
  draft.emit({ kind: "version_shadowed", number, patchHash, status, report: payload, actor });
  return null;
};
