import { createHash } from "node:crypto";
import type { Store } from "@holdfast/core";
import { admitDelivery, type DeliveryGuard } from "@holdfast/host";
import { type Context, Hono } from "hono";
import type { OpenedScript } from "../ports.ts";
import { ask } from "./asking.ts";
import { ApiProblem } from "./problem.ts";
import { isToken } from "./require-token.ts";

export type HookParts = {
  readonly store: Store;
  /** The version that is active; null = there is none. */
  readonly activeScript: (workflow: string) => Promise<OpenedScript | null>;
  /** By the names that scripts have for them. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly token: string;
};

const bodyBytesMax = 1_048_576;
const waitMs = 2_000;

/**
 * Where others push to. Each webhook has its own guard; one that declares none opens to the host's
 * token only. It is answered when the push is durable, and the same delivery twice is one.
 */
export function hooks(parts: HookParts): Hono {
  const app = new Hono();
  app.post("/:workflow/:path", async (context) => {
    const { workflow, path } = context.req.param();
    const { handler, guard } = await find(parts, { workflow, path, context });
    const body = new Uint8Array(await context.req.arrayBuffer());
    const headers = { get: (name: string) => context.req.header(name) ?? null };
    const admitted = admitDelivery({ headers, body }, { guard, bytesMax: bodyBytesMax });
    if (!admitted.ok) throw new ApiProblem(admitted.status, "DELIVERY_REFUSED", admitted.note);
    const { deliveryId } = admitted;
    // The id of the command is that of the push: sent twice, it is in the inbox once.
    const digest = createHash("sha256").update(body).digest("hex").slice(0, 16);
    const verdict = await ask(parts.store, workflow, {
      commandId: `delivery ${handler} ${deliveryId} ${digest}`,
      actor: `webhook ${handler}`,
      waitMs,
      kind: "receive_delivery",
      body: { handler, deliveryId, body, title: null },
    });
    return context.json({ deliveryId, ...verdict }, verdict.accepted === null ? 202 : 200);
  });
  return app;
}

async function find(
  parts: HookParts,
  { workflow, path, context }: { workflow: string; path: string; context: Context },
): Promise<{ readonly handler: string; readonly guard: DeliveryGuard }> {
  const script = await parts.activeScript(workflow);
  for (const { name, start } of script?.manifest.producers ?? []) {
    if (start.kind !== "webhook") continue;
    const { path: under = name, secret, signature } = start.options;
    if (under !== path) continue;
    if (secret === undefined) return { handler: name, guard: guardOfHost(parts, context) };
    const value = Object.hasOwn(parts.secrets, secret) ? parts.secrets[secret] : undefined;
    if (value === undefined) throw refused(`The host has no secret ${secret}.`);
    const kind = signature === undefined ? "secret" : "sha256";
    return { handler: name, guard: { kind, secret: value } };
  }
  throw new ApiProblem(404, "REQUEST_INVALID", `${workflow} has no webhook at ${path}.`);
}

/** Nothing is open because somebody forgot a secret. */
function guardOfHost({ token }: HookParts, context: Context): DeliveryGuard {
  if (isToken(token, context.req.header("authorization"))) return { kind: "open" };
  throw refused("The webhook declares no secret, so it opens to the host's token only.");
}

function refused(text: string): ApiProblem {
  return new ApiProblem(401, "DELIVERY_REFUSED", text);
}
