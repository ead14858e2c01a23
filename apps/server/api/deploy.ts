import {
  encodeGrants,
  type Grant,
  HostError,
  plainGrants,
  type Store,
  type WorkflowRow,
} from "@holdfast/core";
import { listProposals, previewVersion, readEnvelope } from "@holdfast/host";
import type { DeployAnswer, MutationLabel, ReadDeployRequest } from "@holdfast/protocol";
import type { Accounts } from "../accounts.ts";
import type { PackedScript, ScriptWorkshop } from "../ports.ts";
import type { HostSecrets } from "../secrets.ts";
import { type Asked, ask, requireReachOf } from "./asking.ts";
import { missingIn, requireGrantable } from "./check-grants.ts";
import { grantedElsewhere, notGranted } from "./granted-elsewhere.ts";
import { changesOf } from "./grants.ts";
import { requireMatch } from "./if-match.ts";
import { ApiProblem } from "./problem.ts";

type Deployable = Extract<PackedScript, { ok: true }>;

type DeployParts = {
  readonly store: Store;
  readonly secrets: HostSecrets;
  readonly workshop: ScriptWorkshop;
  readonly accounts: Accounts;
};

/** Another deployment may come in between: then it is judged against that one. */
const triesMax = 3;

/** Validates, packs and activates a version; nothing runs that did not come through here. */
export async function deploy(
  parts: DeployParts,
  given: ReadDeployRequest,
  asked: Asked,
): Promise<DeployAnswer> {
  const { store, accounts, secrets, workshop } = parts;
  const packed = await workshop.pack(given.source);
  if (!packed.ok) throw faulty(packed.problems);
  requireReachOf(asked, packed.manifest.name);
  const grants = grantsIn(given);
  requireGrantable(grants ?? [], accounts.kindsOf(packed.manifest.connections));
  requireAccounts(accounts, packed);
  requireSecrets(secrets, packed);
  for (let tries = 1; ; tries++) {
    const commandId = tries === 1 ? asked.commandId : `${asked.commandId} ${tries}`;
    try {
      const mutations = mutationsIn(accounts, packed);
      const version = { packed, mutations, given, grants, accounts };
      return await activate(store, { ...version, asked: { ...asked, commandId } });
    } catch (error) {
      const isOvertaken = error instanceof ApiProblem && error.more.refusal === "version_not_newer";
      if (!isOvertaken || tries === triesMax) throw error;
    }
  }
}

/** Each once, however often it is used. */
function mutationsIn(accounts: Accounts, { manifest }: Deployable): readonly MutationLabel[] {
  const connections = accounts.connectionsOf(manifest.connections);
  const found = new Map<string, MutationLabel>();
  for (const { connection, operation: name } of manifest.operations) {
    const operation = connections.get(connection)?.operations[name];
    if (operation?.kind !== "mutation") continue;
    const full = `${connection}.${name}`;
    found.set(full, { operation: full, labels: operation.labels });
  }
  return [...found.values()];
}

/** The short way to grants: whole operations. Null = those in force stay. */
function grantsIn({ allow, ask: asks }: ReadDeployRequest): readonly Grant[] | null {
  if (allow === undefined && asks === undefined) return null;
  const both = (allow ?? []).find((name) => asks?.includes(name));
  if (both === undefined) {
    return [...plainGrants("allow", allow ?? []), ...plainGrants("ask", asks ?? [])];
  }
  throw new ApiProblem(422, "REQUEST_INVALID", `${both} is both allowed and asked about.`, {
    remedy: "Choose one; nothing was deployed.",
  });
}

/** A workflow that was never created has no version. */
function none(error: unknown): null {
  if (error instanceof HostError && error.code === "WORKFLOW_UNKNOWN") return null;
  throw error;
}

function requireSecrets(secrets: HostSecrets, { manifest }: Deployable) {
  const missing = secrets.missing(manifest.secrets ?? []);
  if (missing.length > 0) {
    const detail = `This host lacks secrets: ${missing.join("; ")}.`;
    throw new ApiProblem(422, "ACCOUNT_MISSING", detail, { remedy: addSecrets });
  }
  for (const { name, start } of manifest.producers) {
    const secret = start.kind === "webhook" ? start.options["secret"] : undefined;
    if (secret === undefined || Object.hasOwn(secrets.webhooks, secret)) continue;
    const detail = `This host lacks the secret ${secret}, which the webhook ${name} names.`;
    throw new ApiProblem(422, "ACCOUNT_MISSING", detail, { remedy: addSecrets });
  }
}

const addSecrets = "Add it to the host's secrets file and start it again, then deploy.";

async function activate(
  store: Store,
  parts: {
    readonly packed: Deployable;
    readonly mutations: readonly MutationLabel[];
    readonly given: ReadDeployRequest;
    readonly grants: readonly Grant[] | null;
    readonly accounts: Accounts;
    readonly asked: Asked;
  },
): Promise<DeployAnswer> {
  const { packed, mutations, given, asked } = parts;
  const { hash: scriptHash, uses, problems, manifest, declarations } = packed;
  const workflow = manifest.name;
  const active = await activeVersion(store, workflow);
  const before = active === null ? null : versionText(active.versionMajor, active.versionMinor);
  requireMatch(asked.expected, before, `the active version of ${workflow}`);
  const inForce = await readEnvelope(store, workflow).catch(none);
  const grants = parts.grants ?? inForce?.grants ?? [];
  const { changes } = changesOf(inForce, { number: null, grants });
  const missing = missingIn(uses, grants);
  const { connections } = declarations;
  const elsewhere = grantedElsewhere(parts.accounts, active, { connections, grants });
  const lists = { missing, mutations, problems, grants: changes, elsewhere };
  const told = { workflow, scriptHash, ...lists, proposal: null };
  if (active?.scriptHash === scriptHash && changes.length === 0) {
    const version = versionText(active.versionMajor, active.versionMinor);
    const note = `${workflow} ${version} is exactly this already`;
    const { commandId } = asked;
    return { ...told, version, commandId, accepted: true, note, changed: false, orphans: [] };
  }
  const next = versionAfter(active, given.bump);
  const { progress } = given;
  const keepsEnvelope = inForce?.number ?? 0;
  const granted = { grants: changes.length === 0 ? null : encodeGrants(grants), keepsEnvelope };
  const script = { scriptHash, script: packed.bytes };
  const wanted = { ...next, ...script, progress, ...granted, ...declarations };
  const orphans = active === null ? [] : await orphansOf(store, workflow, wanted);
  const version = versionText(next.major, next.minor);
  if (given.preview) {
    const note = `${workflow} ${version} was not activated: this was a preview`;
    return { ...told, version, commandId: "", accepted: null, note, changed: false, orphans };
  }
  // A minor version may not do it at all, and is told so by the owner.
  const isKnown = given.bump === "minor" || elsewhere.length === 0;
  if (parts.grants === null && !given.keepGrants && !isKnown) throw notGranted(version, elsewhere);
  if (orphans.length > 0 && !given.leaveBehind) throw leavesBehind(version, orphans);
  await store.createWorkflow(workflow);
  const proposing = given.propose ? proposed(active, given) : {};
  const verdict = await ask(store, workflow, { ...asked, body: { ...wanted, ...proposing } });
  const proposal = verdict.accepted ? await proposalOf(store, workflow, scriptHash) : null;
  return { ...told, ...verdict, version, changed: true, orphans, proposal };
}

function proposed(active: WorkflowRow | null, { description }: ReadDeployRequest) {
  if (active !== null) {
    return { base: active.scriptHash ?? "", description: description ?? null };
  }
  throw new ApiProblem(422, "REQUEST_INVALID", "There is no version to propose it against.", {
    remedy: "Deploy it: the first version is active at once.",
  });
}

/** Null = it is active, so that nothing is left to agree to. */
async function proposalOf(store: Store, workflow: string, scriptHash: string) {
  const active = await activeVersion(store, workflow);
  if (active?.scriptHash === scriptHash) return null;
  const all = await listProposals(store, workflow);
  return all.find((each) => each.scriptHash === scriptHash)?.number ?? null;
}

/** What a refusal would say anyway is said by the owner; here only what is left behind counts. */
async function orphansOf(
  store: Store,
  workflow: string,
  version: Parameters<typeof previewVersion>[2],
): Promise<readonly string[]> {
  const now = Date.now();
  const { orphans, refusal, items } = await previewVersion(store, workflow, version, { now });
  if (refusal !== null) return [];
  const topics = orphans.topics
    .filter(({ pendingCount }) => pendingCount > 0)
    .map(({ topic, pendingCount }) => `${pendingCount} pending in ${topic}`);
  const handlers = orphans.handlers
    .filter(({ waitingCount, openRun }) => waitingCount > 0 || openRun !== null)
    .map(({ handler, waitingCount, openRun }) => {
      const run = openRun === null ? "" : `, and its run ${openRun} is open`;
      return `${handler} with ${waitingCount} deliveries waiting${run}`;
    });
  return [...topics, ...handlers, ...items.map(sayItems)];
}

/** What was done under the old ids may be done again under new ones, and nobody can see that. */
function sayItems({
  job,
  count,
  itemIds,
}: {
  job: string;
  count: number;
  itemIds: readonly string[];
}) {
  const rest = count > itemIds.length ? ` and ${count - itemIds.length} more` : "";
  const what = `${count === 1 ? "an item" : `${count} items`} of ${job}`;
  const named = `${itemIds.join(", ")}${rest}`;
  return `${what}, whose ids it no longer makes (${named}): new ids are new work`;
}

function leavesBehind(version: string, orphans: readonly string[]): ApiProblem {
  const detail = `Version ${version} would leave behind: ${orphans.join("; ")}.`;
  const remedy = "Keep what works them off, wait until they are done, or say that they may stay.";
  return new ApiProblem(409, "COMMAND_REFUSED", detail, { refusal: "leaves_behind", remedy });
}

function faulty(problems: readonly object[]): ApiProblem {
  const errors = problems.filter((each) => "severity" in each && each.severity === "error").length;
  const count = errors === 1 ? "1 error" : `${errors} errors`;
  return new ApiProblem(422, "SCRIPT_INVALID", `The script has ${count}; nothing was deployed.`, {
    remedy: "Correct what is listed; `holdfast validate <file>` shows the same.",
    problems,
  });
}

function requireAccounts(accounts: Accounts, { manifest }: Deployable): void {
  const missing = accounts.missing(manifest.connections);
  if (missing.length === 0) return;
  throw new ApiProblem(422, "ACCOUNT_MISSING", `This host lacks accounts: ${missing.join("; ")}.`, {
    remedy: "Add them to the host's accounts file and start it again, then deploy.",
  });
}

async function activeVersion(store: Store, workflow: string): Promise<WorkflowRow | null> {
  const need = { kind: "row", table: "workflows", key: [] } as const;
  const loaded = await store.load(workflow, [need]).catch(none);
  const found = loaded?.rows.find((each) => each.table === "workflows");
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
