import {
  diffGrants,
  encodeGrants,
  type Grant,
  type Store,
  sayGrant,
  sayGrantDiff,
} from "@holdfast/core";
import { neededGrants, readEnvelope, type ShownEnvelope } from "@holdfast/host";
import {
  type GrantsAnswer,
  type GrantsDiffAnswer,
  type GrantsNeededAnswer,
  type GrantsSetAnswer,
  grantsRequest,
} from "@holdfast/protocol";
import { Hono } from "hono";
import type { Accounts } from "../accounts.ts";
import type { OpenedScript } from "../ports.ts";
import type { ApiContext, ApiEnv } from "./api-env.ts";
import { ask, askedBy } from "./asking.ts";
import {
  missingIn,
  parseGrants,
  requireGrantable,
  requireWithinRisk,
  suggestedFor,
} from "./check-grants.ts";
import { declaredIn, narrowedBy } from "./declared-operations.ts";
import { expectedOf, requireMatch } from "./if-match.ts";
import { ApiProblem } from "./problem.ts";
import { readBody } from "./read-body.ts";

export type GrantParts = {
  readonly store: Store;
  readonly accounts: Accounts;
  readonly activeScript: (workflow: string) => Promise<OpenedScript | null>;
};

/** What a workflow may do outside: shown, compared and set. A script has no way here. */
export function grants(parts: GrantParts): Hono<ApiEnv> {
  const { store } = parts;
  const app = new Hono<ApiEnv>();
  app.get("/:workflow/grants", async (context) => {
    const workflow = context.req.param("workflow");
    const script = await parts.activeScript(workflow);
    const shown = await envelopeNumbered(store, workflow, numberIn(context, "number"));
    const find = await declaredIn(parts, workflow);
    const answer: GrantsAnswer = {
      number: shown?.number ?? 0,
      setBy: shown?.setBy ?? null,
      setAt: shown?.setAt ?? null,
      grants: shown?.grants ?? [],
      said: (shown?.grants ?? []).map(sayGrant),
      about: (shown?.grants ?? []).map((each) => narrowedBy(each, find(each.operation))),
      missing: missingIn(script?.uses ?? [], shown?.grants ?? []),
    };
    return context.json(answer);
  });
  app.get("/:workflow/grants/needed", async (context) => {
    return context.json(await neededBy(parts, context.req.param("workflow")));
  });
  app.get("/:workflow/grants/diff", async (context) => {
    const workflow = context.req.param("workflow");
    const to = await envelopeNumbered(store, workflow, numberIn(context, "to"));
    const before = numberIn(context, "from") ?? Math.max(0, (to?.number ?? 0) - 1);
    const from = await envelopeNumbered(store, workflow, before);
    return context.json(changesOf(from, { number: to?.number ?? 0, grants: to?.grants ?? [] }));
  });
  app.post("/:workflow/grants", async (context) => {
    const given = await readBody(context, grantsRequest);
    return context.json(await setGrants(parts, context, given));
  });
  return app;
}

/** With a list that could be set: all that is granted, and what nobody was asked about yet. */
async function neededBy(parts: GrantParts, workflow: string): Promise<GrantsNeededAnswer> {
  const { store, accounts, activeScript } = parts;
  const find = await declaredIn(parts, workflow);
  const script = await activeScript(workflow);
  const uses = script?.uses ?? [];
  const items = await neededGrants(store, workflow, { uses, now: Date.now() });
  const kinds = accounts.kindsOf(script?.manifest.connections ?? []);
  const grants = (await readEnvelope(store, workflow))?.grants ?? [];
  return {
    items: items.map((each) => ({ ...each, declared: find(each.operation) })),
    suggested: [...grants, ...suggestedFor(items, kinds)],
  };
}

async function setGrants(
  parts: GrantParts,
  context: ApiContext,
  given: { readonly grants: Parameters<typeof parseGrants>[0]; readonly preview: boolean },
): Promise<GrantsSetAnswer | (GrantsDiffAnswer & { readonly accepted: null })> {
  const { store, accounts, activeScript } = parts;
  const workflow = context.req.param("workflow") ?? "";
  const script = await activeScript(workflow);
  const inForceNow = (await readEnvelope(store, workflow))?.number ?? 0;
  requireMatch(expectedOf(context), String(inForceNow), "the number of the grants in force");
  const list = parseGrants(given.grants);
  requireGrantable(list, accounts.kindsOf(script?.manifest.connections ?? []));
  requireWithinRisk(list, await declaredIn(parts, workflow));
  const changes = changesOf(await readEnvelope(store, workflow), { number: null, grants: list });
  if (given.preview) return { ...changes, accepted: null };
  const body = { grants: encodeGrants(list) };
  const verdict = await ask(store, workflow, { ...askedBy(context, "set_envelope"), body });
  return { ...changes, ...verdict };
}

export function changesOf(
  from: Pick<ShownEnvelope, "number" | "grants"> | null,
  to: { readonly number: number | null; readonly grants: readonly Grant[] },
): GrantsDiffAnswer {
  const changes = sayGrantDiff(diffGrants(from?.grants ?? [], to.grants));
  return { from: from?.number ?? 0, to: to.number, changes };
}

/** Null = the one in force; 0 is the empty one that every workflow begins with. */
async function envelopeNumbered(
  store: Store,
  workflow: string,
  number: number | null,
): Promise<ShownEnvelope | null> {
  if (number === 0) return null;
  const found = await readEnvelope(store, workflow, number);
  if (found !== null || number === null) return found;
  throw new ApiProblem(404, "REQUEST_INVALID", `${workflow} has no envelope ${number}.`);
}

function numberIn(context: ApiContext, name: string): number | null {
  const text = context.req.query(name);
  if (text === undefined) return null;
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw new ApiProblem(422, "REQUEST_INVALID", `${name}: ${text} is not a number.`);
}
