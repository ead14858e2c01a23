import {
  type CanonicalValue,
  encodeCanonical,
  type HostedScript,
  type ProposalRow,
  type Store,
} from "@holdfast/core";
import { type Input, readTagged } from "@holdfast/core/machine";
import {
  findProposal,
  type KeptKernels,
  listProposals,
  shadowProposal,
  showProposal,
} from "@holdfast/host";
import {
  type ProposalAnswer,
  type ProposalsAnswer,
  type ShadowAnswer,
  shadowRequest,
} from "@holdfast/protocol";
import { Hono } from "hono";
import type { OpenedScript } from "../ports.ts";
import type { ApiContext, ApiEnv } from "./api-env.ts";
import { ask, askedBy, requireReachOf } from "./asking.ts";
import { KeptReads } from "./kept-reads.ts";
import { ApiProblem } from "./problem.ts";
import { readBody } from "./read-body.ts";

export type ProposalParts = {
  readonly store: Store;
  readonly version: (workflow: string, hash: string) => Promise<OpenedScript>;
  readonly kernels: KeptKernels;
};

/** Versions that are proposed: what they are, what stands in their way, and trying them. */
export function proposals({ store, version, kernels }: ProposalParts): Hono<ApiEnv> {
  const of = (workflow: string) => ({
    store,
    workflow,
    kernels,
    // Without connections: whoever runs a version here has no way out.
    loadScript: async (hash: string): Promise<HostedScript> => {
      return (await version(workflow, hash)).host({});
    },
  });
  const kept = new KeptReads(store);
  const app = new Hono<ApiEnv>();
  app.get("/:workflow/machines/proposals", async (context) => {
    const items = await listProposals(store, context.req.param("workflow"));
    return context.json<ProposalsAnswer>({ items, next: null } as unknown as ProposalsAnswer);
  });
  app.get("/:workflow/machines/proposals/:number", async (context) => {
    // What stands in its way may take a call of the version's code for every cell.
    return kept.answer(context, async (workflow) => {
      const found = await showProposal(of(workflow), numberIn(context));
      if (found === null) throw unknown(context);
      return found as unknown as ProposalAnswer;
    });
  });
  app.post("/:workflow/machines/proposals/:number/shadow", async (context) => {
    const given = await readBody(context, shadowRequest);
    const workflow = context.req.param("workflow");
    const asked = askedBy(context, "shadow_version");
    requireReachOf(asked, workflow);
    const row = await findProposal(store, workflow, numberIn(context));
    if (row === null) throw unknown(context);
    const { recent } = given;
    const report = await shadowProposal(of(workflow), {
      row,
      recent,
      seeds: given.seeds.map(seedOf),
      receipts: new Map(Object.entries(given.receipts).map(cannedOf)),
    });
    const body = shadowBody(row, report as unknown as CanonicalValue);
    const verdict = await ask(store, workflow, { ...asked, body });
    return context.json<ShadowAnswer>({ ...verdict, report } as unknown as ShadowAnswer);
  });
  return app;
}

function shadowBody({ number, body }: ProposalRow, report: CanonicalValue) {
  return { number, patchHash: body.hash as string, report: encodeCanonical(report) };
}

function numberIn(context: ApiContext): number {
  const { number = "" } = context.req.param();
  const read = Number(number);
  if (Number.isSafeInteger(read) && read > 0) return read;
  throw new ApiProblem(422, "REQUEST_INVALID", `${number} is not the number of a proposal.`);
}

function unknown(context: ApiContext): ApiProblem {
  const { workflow = "", number = "" } = context.req.param();
  return new ApiProblem(404, "REQUEST_INVALID", `${workflow} has no proposal ${number}.`);
}

type Seed =
  | { readonly topic: string; readonly event: unknown }
  | { readonly machine: string; readonly key: unknown; readonly event: unknown };

function seedOf(seed: Seed): Input {
  const value = exactBytes(seed.event);
  if ("topic" in seed) {
    return { kind: "event", topic: seed.topic, value, key: null, messageId: null };
  }
  const key = seed.key === null ? null : exactBytes(seed.key);
  return { kind: "direct", machine: seed.machine, key, value };
}

type Canned = {
  readonly status: "ok" | "error" | "timeout" | "skipped";
  readonly payload?: unknown;
};

function cannedOf([effect, { status, payload }]: [string, Canned]) {
  const bytes = payload === undefined ? null : exactBytes(payload);
  return [effect, { status, payload: bytes }] as const;
}

/** What JSON has no form for is said as steps have it. */
function exactBytes(value: unknown): Uint8Array {
  return encodeCanonical(readTagged(JSON.stringify(value)) as CanonicalValue);
}
