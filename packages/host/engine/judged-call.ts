import {
  type Ask,
  type BudgetVersion,
  type CoreCommand,
  contentHash,
  type Hash,
  type Instant,
  type Judgement,
  type Verdict,
  type View,
} from "@holdfast/core";

type PauseRun = Extract<CoreCommand, { kind: "pause_run" }>;
type Covered = Extract<Judgement, { says: "allow" | "ask" }>;

/** With the version of the budget that it would be charged to, as it was seen; null = none. */
export type JudgedNow = Judgement & {
  readonly charged: BudgetVersion | null;
  /** What was recorded of its operation was summed up for it: what is recorded next counts too. */
  readonly isLimited: boolean;
};

export function isCovered<J extends Judgement>(judged: J): judged is J & Covered {
  return judged.says === "allow" || judged.says === "ask";
}

/** `keyed` null = its account has changed since it was recorded; undefined = nobody can tell. */
export function verdictOf(
  view: View,
  judged: JudgedNow & Covered,
  keyed: string | null | undefined,
): Verdict {
  const { grant, says, charged, spent, fourEyes } = judged;
  const { envelope } = view.load("workflows");
  return {
    envelope,
    grant,
    says,
    ...(charged === null ? {} : { budget: charged }),
    ...(spent === null ? {} : { spent }),
    ...(fourEyes ? { fourEyes } : {}),
    ...(keyed === undefined ? {} : { keyed }),
  };
}

/** What the run does instead of making its call: it waits for a grant, or for room in a limit. */
export function pauseFor(
  runId: string,
  operation: string,
  judged: Exclude<Judgement, Covered>,
): PauseRun {
  const { why: message } = judged;
  if (judged.says === "over") {
    const failure = { class: "budget", message, location: operation } as const;
    return {
      kind: "pause_run",
      runId,
      because: { reason: "budget", failure, until: judged.freeAt },
    };
  }
  const failure = { class: "permission", message, location: operation } as const;
  return { kind: "pause_run", runId, because: { reason: "permission", failure } };
}

/** More than a person reads of a call; the parameters are shown beside it in full. */
const previewCharsMax = 2_000;

export type Previewed = {
  readonly operation: string;
  readonly target: string;
  readonly connectorVersion: string;
  readonly preview: string;
  readonly payloadHash: Hash | string;
};

/** Everything a person sees of the call is in the hash, and so in their approval. */
export function askFor(
  previewed: Previewed,
  { fourEyes, expiresAt }: { readonly fourEyes: boolean; readonly expiresAt: Instant },
): Ask {
  const preview = previewed.preview.slice(0, previewCharsMax).toWellFormed();
  const previewHash = contentHash({ ...previewed, preview });
  return { preview, previewHash, fourEyes, expiresAt };
}
