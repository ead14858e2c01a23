import { receiveInput } from "../frame/machine-input.ts";
import { type Draft, type Rule, refuse } from "../journal/decision.ts";
import { changesMachines, submit } from "../proposal/propose-version.ts";
import { storeScript, takeVersion } from "./take-version.ts";
import type { HandlerDeclaration, TopicDeclaration } from "./workflow-facts.ts";

export type DeclaredHandler = Omit<HandlerDeclaration, "nextRunAt"> & {
  /** True for handlers that run on a schedule: they are due at once after a deploy. */
  readonly scheduled: boolean;
};

export type ActivateVersion = {
  readonly kind: "activate_version";
  readonly major: number;
  readonly minor: number;
  readonly scriptHash: string;
  /** The deployed bytes that have this hash; null = they are stored already. */
  readonly script: Uint8Array | null;
  readonly topics: readonly TopicDeclaration[];
  readonly handlers: readonly DeclaredHandler[];
  /** Connections and operations the script uses, one text each. */
  readonly connections: readonly string[];
  /** Canonical bytes of the grants that come into force with it; null = those there are stay. */
  readonly grants: Uint8Array | null;
  /** The envelope that is to hold for connections that lead elsewhere too; absent = none is. */
  readonly keepsEnvelope?: number | null;
  readonly progress: Progress;
  /** Whether it has machines; absent = it has none. */
  readonly machines?: boolean | null;
  /** What its machines are, `<machine> <hash>` each; absent = it has none. */
  readonly definitions?: readonly string[] | null;
  readonly actor: string;
};

/**
 * What a person wants done with what was worked off before. `fresh`: everything once more, as new
 * attempts; `select`: only what these inputs caused.
 */
export type Progress = "keep" | "fresh" | Selection;

/** Inputs whose events, and items that, are to be worked off once more. */
export type Selection = {
  readonly select: readonly string[];
  readonly items?: readonly string[] | null;
};

/** At once, unless it changes what machines are: then it is only proposed, and says so. */
export const activateVersion: Rule<ActivateVersion> = (draft, command) => {
  const workflow = draft.view.find("workflows");
  if (!workflow) return refuse("workflow_not_created");
  if (workflow.status === "archived") return refuse("workflow_is_archived");
  if (changesMachines(workflow, command)) {
    return submit(draft, command, { base: workflow.scriptHash, description: null });
  }
  const bad = storeScript(draft, command) ?? takeVersion(draft, command);
  if (bad) return bad;
  tellMachines(draft, command);
  return null;
};

/** They take another version when it is their turn, and only between two events. */
function tellMachines(draft: Draft, { machines, scriptHash }: ActivateVersion): void {
  const hadSome = draft.view.load("workflows").machineInputSeq > 0;
  if (machines || hadSome) receiveInput(draft, { kind: "manifest", scriptHash });
}
