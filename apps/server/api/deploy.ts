import type { Store, WorkflowRow } from "@holdfast/core";
import type { DeployAnswer, ReadDeployRequest } from "@holdfast/protocol";
import type { Accounts } from "../accounts.ts";
import type { PackedScript, ScriptWorkshop } from "../ports.ts";
import { type Asked, ask } from "./asking.ts";
import { ApiProblem } from "./problem.ts";

type DeployParts = {
  readonly store: Store;
  readonly workshop: ScriptWorkshop;
  readonly accounts: Accounts;
};

/** Validates, packs and activates a version; nothing runs that did not come through here. */
export async function deploy(
  { store, workshop, accounts }: DeployParts,
  given: ReadDeployRequest,
  asked: Asked,
): Promise<DeployAnswer> {
  const packed = await workshop.pack(given.source, given.allow);
  if (!packed.ok) throw faulty(packed.problems);
  requireAccounts(accounts, packed);
  const workflow = packed.manifest.name;
  await store.createWorkflow(workflow);
  const active = await activeVersion(store, workflow);
  const { hash: scriptHash, missing, problems } = packed;
  if (active?.scriptHash === scriptHash) {
    const version = versionText(active.versionMajor, active.versionMinor);
    const note = `${workflow} ${version} is exactly this already`;
    const known = { commandId: asked.commandId, accepted: true, note };
    return { ...known, workflow, version, scriptHash, changed: false, missing, problems };
  }
  const next = versionAfter(active, given.bump);
  const { bytes: script, declarations } = packed;
  const body = { ...next, scriptHash, script, progress: "keep", ...declarations };
  const verdict = await ask(store, workflow, { ...asked, kind: "activate_version", body });
  const version = versionText(next.major, next.minor);
  return { ...verdict, workflow, version, scriptHash, changed: true, missing, problems };
}

function faulty(problems: readonly object[]): ApiProblem {
  const errors = problems.filter((each) => "severity" in each && each.severity === "error").length;
  const count = errors === 1 ? "1 error" : `${errors} errors`;
  return new ApiProblem(422, "SCRIPT_INVALID", `The script has ${count}; nothing was deployed.`, {
    remedy: "Correct what is listed; `holdfast validate <file>` shows the same.",
    problems,
  });
}

function requireAccounts(
  accounts: Accounts,
  { manifest }: Extract<PackedScript, { ok: true }>,
): void {
  const missing = accounts.missing(manifest.connections);
  if (missing.length === 0) return;
  throw new ApiProblem(422, "ACCOUNT_MISSING", `This host lacks accounts: ${missing.join("; ")}.`, {
    remedy: "Add them to the host's accounts file and start it again, then deploy.",
  });
}

async function activeVersion(store: Store, workflow: string): Promise<WorkflowRow | null> {
  const need = { kind: "row", table: "workflows", key: [] } as const;
  const { rows } = await store.load(workflow, [need]);
  const found = rows.find((each) => each.table === "workflows");
  const row = found?.table === "workflows" ? found.row : null;
  return row?.scriptHash == null ? null : row;
}

function versionAfter(active: WorkflowRow | null, bump: "minor" | "major") {
  if (active === null) return { major: 1, minor: 0 };
  const { versionMajor: major, versionMinor: minor } = active;
  return bump === "major" ? { major: major + 1, minor: 0 } : { major, minor: minor + 1 };
}

function versionText(major: number, minor: number): string {
  return `${major}.${minor}`;
}
