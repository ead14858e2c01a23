import { encodeCanonical } from "../canonical/index.ts";
import { Draft, type Rule, refuse } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import { pinPayload } from "../view/payload.ts";
import type { WorkflowRow } from "../view/rows.ts";
import type { ActivateVersion } from "../workflow/activate-version.ts";
import { storeScript, takeVersion } from "../workflow/take-version.ts";

export type ProposeVersion = Omit<ActivateVersion, "kind"> & {
  readonly kind: "propose_version";
  /** Script hash of the version it was made against. */
  readonly base: string;
  readonly description: string | null;
};

/** A version that is to be tried and agreed to before it is active. */
export const proposeVersion: Rule<ProposeVersion> = (draft, command) => {
  const { kind, base, description, ...version } = command;
  return submit(draft, { ...version, kind: "activate_version" }, { base, description });
};

type About = { readonly base: string | null; readonly description: string | null };

/** Also of a deployment that changes what machines are. */
export function submit(
  draft: Draft,
  command: ActivateVersion,
  { base, description }: About,
): Refusal | null {
  const workflow = draft.view.find("workflows");
  if (!workflow) return refuse("workflow_not_created");
  if (workflow.machineInputSeq === 0) return refuse("workflow_has_no_machines", noMachines);
  if (workflow.scriptHash === null || base !== workflow.scriptHash) {
    return refuse("proposal_base_stale", staleNote(base, workflow));
  }
  if (command.progress !== "keep") {
    return refuse("version_invalid", "A version that is proposed keeps all progress.");
  }
  // What would be refused when it is applied is refused now.
  const bad = takeVersion(new Draft(draft.view, draft.now), command) ?? storeScript(draft, command);
  if (bad) return bad;
  const { kind, actor, script, ...version } = command;
  const { payload, blob } = pinPayload(encodeCanonical({ ...version, script: null } as never));
  draft.store(blob);
  const number = workflow.proposalCount + 1;
  const changes = changesOf(workflow.definitions ?? [], command.definitions ?? []);
  draft.emit({
    kind: "version_proposed",
    number,
    version: `${command.major}.${command.minor}`,
    scriptHash: command.scriptHash,
    base,
    body: payload,
    changes,
    description,
    actor,
  });
  const what = changes.length === 0 ? "" : ` (${changes.join(", ")})`;
  draft.note = `proposal ${number}${what}: shadow it, approve it, apply it`;
  return null;
}

const noMachines = "The workflow has no machines, so there is nothing to try: deploy it.";

/** By the name that obstacles have for it, with what to do: the hashes alone say neither. */
export function staleNote(base: string | null, workflow: WorkflowRow): string {
  const { scriptHash, versionMajor, versionMinor } = workflow;
  return (
    `base_stale: another version is active by now (${versionMajor}.${versionMinor}): ` +
    `propose it anew. It was made against ${base ?? "none"}, and ${scriptHash} is active.`
  );
}

/**
 * Whether cells might not be what the version takes them for: then it is proposed, not activated.
 * A machine that is new has no cells; one that is as it was has what it left.
 */
export function changesMachines(workflow: WorkflowRow, { definitions }: ActivateVersion): boolean {
  if (workflow.machineInputSeq === 0) return false;
  if (workflow.definitions === null) return true;
  return workflow.definitions.some((each) => !(definitions ?? []).includes(each));
}

/** By name: each definition is `<machine> <hash>`. */
function changesOf(before: readonly string[], after: readonly string[]): string[] {
  const named = (list: readonly string[]) =>
    new Map(list.map((each) => each.split(" ") as [name: string, hash: string]));
  const [was, is] = [named(before), named(after)];
  const names = [...new Set([...was.keys(), ...is.keys()])].sort();
  return names.flatMap((name) => {
    if (was.get(name) === is.get(name)) return [];
    if (!was.has(name)) return [`${name} is new`];
    return [is.has(name) ? `${name} is changed` : `${name} is gone`];
  });
}
