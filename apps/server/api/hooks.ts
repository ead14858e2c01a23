import { createHash } from "node:crypto";
import { HostError, type Store } from "@holdfast/core";
import {
  type AdmittedDelivery,
  admitDelivery,
  type DeliveryGuard,
  type DeliveryOptions,
} from "@holdfast/host";
import { isAtLeast } from "@holdfast/protocol";
import { Hono } from "hono";
import type { Access, Asker } from "../access/access.ts";
import { TryLimit } from "../access/try-limit.ts";
import type { Policies } from "../policies.ts";
import type { OpenedScript } from "../ports.ts";
import type { HostSecrets } from "../secrets.ts";
import { type ApiContext, type ApiEnv, addressOf } from "./api-env.ts";
import { ask } from "./asking.ts";
import { commandRoles } from "./least-role.ts";
import { ApiProblem } from "./problem.ts";
import { findTokenAsker, isWithinReach, refuseWhileTooMany } from "./who-asks.ts";

export type HookParts = {
  readonly store: Store;
  /** The version that is active; null = there is none. */
  readonly activeScript: (workflow: string) => Promise<OpenedScript | null>;
  /** By the names that scripts have for them. */
  readonly secrets: HostSecrets;
  readonly access: Access;
  readonly policies: Pick<Policies, "of">;
};

const waitMs = 2_000;

type NamedHeaders = Pick<DeliveryOptions, "idHeader" | "secretHeader" | "signatureHeader">;
type Door = {
  readonly handler: string;
  readonly guard: DeliveryGuard;
  readonly headers: NamedHeaders;
};
/** Why a push cannot come in, for people of this host only. */
type Closed = { readonly why: string };

/**
 * Where others push to. Each webhook has its own guard; one that declares none opens to a token
 * only. It is answered when the push is durable, and the same delivery twice is one. Whoever is
 * refused is not told whether there is such a webhook.
 */
export function hooks(parts: HookParts): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  const wrongPushes = new TryLimit();
  app.post("/:workflow/:path", async (context) => {
    const { workflow, path } = context.req.param();
    const body = new Uint8Array(await context.req.arrayBuffer());
    const bytesMax = parts.policies.of(workflow).deliveryBytesMax;
    if (body.length > bytesMax) throw tooLarge(body.length, bytesMax);
    const asker = findTokenAsker(parts.access, context);
    const door = await find(parts, { workflow, path, asker });
    const admitted = knock(door, context, { body, bytesMax });
    if ("why" in admitted) throw refused(admitted, { asker, context, wrongPushes });
    const { deliveryId, handler } = admitted;
    // The id of the command is that of the push: sent twice, it is in the inbox once.
    const digest = createHash("sha256").update(body).digest("hex").slice(0, 16);
    const verdict = await ask(parts.store, workflow, {
      commandId: `delivery ${handler} ${deliveryId} ${digest}`,
      actor: `webhook ${handler}`,
      reach: null,
      expected: null,
      waitMs,
      kind: "receive_delivery",
      body: { handler, deliveryId, body, title: null },
    });
    return context.json({ deliveryId, ...verdict }, verdict.accepted === null ? 202 : 200);
  });
  return app;
}

type Admitted = { readonly deliveryId: string; readonly handler: string } | Closed;

function knock(
  door: Door | Closed,
  context: ApiContext,
  { body, bytesMax }: { readonly body: Uint8Array; readonly bytesMax: number },
): Admitted {
  if ("why" in door) return door;
  const { guard, handler } = door;
  const headers = { get: (name: string) => context.req.header(name) ?? null };
  const admitted: AdmittedDelivery = admitDelivery(
    { headers, body },
    { guard, bytesMax, ...door.headers },
  );
  if (admitted.ok) return { deliveryId: admitted.deliveryId, handler };
  if (admitted.status === 401) return { why: admitted.note };
  throw new ApiProblem(admitted.status, "DELIVERY_REFUSED", admitted.note);
}

async function find(
  parts: HookParts,
  { workflow, path, asker }: { workflow: string; path: string; asker: Asker | null },
): Promise<Door | Closed> {
  const script = await parts.activeScript(workflow).catch(none);
  for (const { name, start } of script?.manifest.producers ?? []) {
    if (start.kind !== "webhook") continue;
    const { path: under = name, secret, signature, ...rest } = start.options;
    if (under !== path) continue;
    const { idHeader, secretHeader, signatureHeader } = rest;
    const headers = { idHeader, secretHeader, signatureHeader };
    if (secret === undefined) return doorOfHost({ workflow, handler: name, headers }, asker);
    const value = Object.hasOwn(parts.secrets.webhooks, secret)
      ? parts.secrets.webhooks[secret]
      : undefined;
    if (value === undefined) return { why: `The host has no secret ${secret}.` };
    const kind = signature === undefined ? "secret" : "sha256";
    return { handler: name, guard: { kind, secret: value }, headers };
  }
  return { why: `${workflow} has no webhook at ${path}.` };
}

function none(error: unknown): null {
  if (error instanceof HostError && error.code === "WORKFLOW_UNKNOWN") return null;
  throw error;
}

/** Nothing is open because somebody forgot a secret. */
function doorOfHost(
  { workflow, ...door }: Omit<Door, "guard"> & { readonly workflow: string },
  asker: Asker | null,
): Door | Closed {
  const least = commandRoles.receive_delivery;
  const isLetIn = asker !== null && isAtLeast(asker.role, least) && isWithinReach(asker, workflow);
  if (isLetIn) return { ...door, guard: { kind: "open" } };
  return { why: `The webhook declares no secret, so it opens to a token of ${least} only.` };
}

type Refused = {
  readonly asker: Asker | null;
  readonly context: ApiContext;
  readonly wrongPushes: TryLimit;
};

/** The same to all who have no token here, whatever was wrong; a right push is never held up. */
function refused({ why }: Closed, { asker, context, wrongPushes }: Refused): ApiProblem {
  if (asker !== null) return new ApiProblem(401, "DELIVERY_REFUSED", why);
  const address = addressOf(context);
  refuseWhileTooMany(wrongPushes, address);
  wrongPushes.failed(address, performance.now());
  return new ApiProblem(
    401,
    "DELIVERY_REFUSED",
    "There is no such webhook, or not for this push.",
    {
      remedy: "Check its address and its secret; with a token of this host the answer says more.",
    },
  );
}

function tooLarge(bytes: number, bytesMax: number): ApiProblem {
  const text = `The body has ${bytes} bytes; the limit is ${bytesMax}.`;
  return new ApiProblem(413, "DELIVERY_REFUSED", text);
}
