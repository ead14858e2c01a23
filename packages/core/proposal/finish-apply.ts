import { decodeCanonical, hashText } from "../canonical/index.ts";
import { readVersion } from "../inbox/parse-command.ts";
import { type Rule, refuse } from "../journal/decision.ts";
import { pinPayload } from "../view/payload.ts";
import { takeVersion } from "../workflow/take-version.ts";
import { staleNote } from "./propose-version.ts";

/** The kernel has taken it, in the frame that is part of the same change. */
export type SwapVersion = {
  readonly kind: "swap_version";
  readonly number: number;
  /** The bytes that were proposed. */
  readonly body: Uint8Array;
};

/** Everything that a version is comes into force at one place in both journals. */
export const swapVersion: Rule<SwapVersion> = (draft, { number, body }) => {
  const workflow = draft.view.find("workflows");
  if (!workflow) return refuse("workflow_not_created");
  const found = draft.view.find("proposals", number);
  if (found === null) return refuse("proposal_not_found");
  if (workflow.applying !== number || found.askedBy === null) return refuse("proposal_not_asked");
  if (found.status !== "approved") return refuse("proposal_not_approved");
  if (found.base !== workflow.scriptHash) {
    return refuse("proposal_base_stale", staleNote(found.base, workflow));
  }
  if (hashText(body) !== found.body.hash) return refuse("proposal_differs");
  const { askedBy: actor, author: proposedBy, scriptHash } = found;
  const version = readVersion(decodeCanonical(body), "version");
  const activate = { ...version, kind: "activate_version", actor } as const;
  const bad = takeVersion(draft, activate, { proposedBy });
  if (bad) return bad;
  draft.emit({ kind: "version_applied", number, patchHash: found.body.hash, scriptHash, actor });
  return null;
};

export type HoldApply = {
  readonly kind: "hold_apply";
  readonly number: number;
  readonly why: string;
  /** Canonical bytes of what stands in its way. */
  readonly obstacles: Uint8Array;
  /** False: it will not go away by waiting, or nobody wants to wait. */
  readonly waits: boolean;
};

/** Nothing is cleared or abandoned: it stays approved, and everything goes on as it was. */
export const holdApply: Rule<HoldApply> = (draft, { number, why, obstacles, waits }) => {
  const workflow = draft.view.find("workflows");
  if (!workflow) return refuse("workflow_not_created");
  if (workflow.applying !== number) return refuse("proposal_not_asked");
  const { payload, blob } = pinPayload(obstacles);
  draft.store(blob);
  draft.emit({ kind: "apply_blocked", number, why, obstacles: payload, waits });
  return null;
};
