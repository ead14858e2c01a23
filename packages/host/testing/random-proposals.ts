import type { ActivateVersion, ProposalRow, View } from "@holdfast/core";
import { type CommandKind, type CoreCommand, encodeCanonical, pinPayload } from "@holdfast/core";
import type { Choice } from "./random-command.ts";

type Situation = { readonly view: View; readonly choice: Choice };
type ProposalKind = Extract<
  CommandKind,
  | "propose_version"
  | "shadow_version"
  | "decide_version"
  | "apply_version"
  | "swap_version"
  | "hold_apply"
>;

const actor = "ann";
/** What was proposed, by hash: a host would load it. */
const bodies = new Map<string, Uint8Array>();

function some({ view, choice }: Situation): Pick<ProposalRow, "number"> & { patchHash: string } {
  const all = [...view.rows("proposals")];
  const { number, body } = all[choice.a % Math.max(all.length, 1)] ?? { number: 1, body: null };
  return { number, patchHash: choice.b % 7 === 0 ? "another" : (body?.hash ?? "none") };
}

/** Commands about proposals, as a property test chooses them. */
export function proposalMakers<S extends Situation>(
  versionOf: (situation: S) => ActivateVersion,
): { readonly [K in ProposalKind]: (situation: S) => CoreCommand } {
  return {
    propose_version: (situation) => {
      const { view, choice } = situation;
      const { kind, ...version } = versionOf(situation);
      const definitions = [`orders/order@1 ${choice.a % 3}`];
      const wanted = { ...version, definitions, progress: "keep" } as const;
      const { actor: _, ...body } = wanted;
      const bytes = encodeCanonical(body as never);
      bodies.set(pinPayload(bytes).payload.hash, bytes);
      const base = choice.b % 5 === 0 ? "old" : (view.find("workflows")?.scriptHash ?? "");
      return { kind: "propose_version", ...wanted, base, description: null };
    },
    shadow_version: (situation) => {
      const report = encodeCanonical("x".repeat(situation.choice.a % 700));
      return { kind: "shadow_version", ...some(situation), report, actor };
    },
    decide_version: (situation) => {
      const says = situation.choice.b % 4 === 0 ? "reject" : "approve";
      return { kind: "decide_version", ...some(situation), says, reason: null, actor };
    },
    apply_version: (situation) => {
      const waits = situation.choice.b % 2 === 0;
      return { kind: "apply_version", number: some(situation).number, waits, actor };
    },
    swap_version: (situation) => {
      const { number, patchHash } = some(situation);
      return { kind: "swap_version", number, body: bodies.get(patchHash) ?? new Uint8Array() };
    },
    hold_apply: (situation) => {
      const obstacles = encodeCanonical("b".repeat(situation.choice.a % 700));
      const waits = situation.choice.b % 2 === 0;
      const { number } = some(situation);
      return { kind: "hold_apply", number, why: "governance.apply_inflight", obstacles, waits };
    },
  };
}
