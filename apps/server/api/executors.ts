import {
  actorOfHost,
  type CanonicalValue,
  encodeCanonical,
  type Hash,
  HostError,
  type MutationRow,
  pinPayload,
  type Store,
} from "@holdfast/core";
import {
  type ConnectedWorld,
  judgeWord,
  leafOf,
  moduleOf,
  payloadOfResult,
  type ReceiptVerdict,
  type RemoteDesk,
  type RemoteResult,
  receiptOfResult,
} from "@holdfast/host";
import {
  type ReceiptAnswer,
  type ReceiptRequest,
  receiptRequest,
  type TakeAnswer,
  takeRequest,
} from "@holdfast/protocol";
import { Hono } from "hono";
import type { ApiContext, ApiEnv } from "./api-env.ts";
import { ApiProblem } from "./problem.ts";
import { readBody } from "./read-body.ts";
import { isWithinReach } from "./who-asks.ts";

export type ExecutorParts = {
  readonly store: Store;
  readonly desk: RemoteDesk;
  /** The tokens that may ask for work, by the connector's name. */
  readonly remote: ReadonlyMap<string, readonly string[]>;
  readonly activeWorld: (workflow: string) => Promise<ConnectedWorld | null>;
  readonly now: () => number;
};

/** How long a receipt waits until the ledger has it; then it is to be said again. */
const settledMsMax = 5_000;
const lookEveryMs = 50;

/** For executors in other processes: what is to be done, and what came of it. */
export function executors(parts: ExecutorParts): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  const { store, desk } = parts;
  app.post("/:executor/take", async (context) => {
    const executor = requireExecutor(parts, context);
    const { waitMs } = await readBody(context, takeRequest);
    const asker = context.get("asker");
    const reaches = (workflow: string) => isWithinReach(asker, workflow);
    const { signal } = context.req.raw;
    const found = await desk.take({ executor, reaches, waitMs, signal });
    if (found === null) return context.json<TakeAnswer>({ work: null });
    const { intentId: intent, timeoutMs: answerWithinMs, ...work } = found;
    const of = { store: store.storeIncarnation, intent, answerWithinMs };
    return context.json<TakeAnswer>({ work: { ...work, ...of } });
  });
  app.post("/:executor/receipts", async (context) => {
    const executor = requireExecutor(parts, context);
    const given = await readBody(context, receiptRequest);
    if (given.store !== store.storeIncarnation) throw refusal("instance_wrong", given);
    if (!isWithinReach(context.get("asker"), given.workflow))
      throw refusal("instance_wrong", given);
    const verdict = desk.receive(executor, receiptOf(given));
    if (verdict === "received") return received(parts, context, given);
    if (verdict !== "nobody_waits") throw refusal(verdict, given);
    return context.json<ReceiptAnswer>({ outcome: await heardLate(parts, executor, given) });
  });
  return app;
}

/** One that the config names, asked for by one of the tokens that it names there. */
function requireExecutor({ remote }: ExecutorParts, context: ApiContext): string {
  const name = context.req.param("executor") ?? "";
  const tokens = remote.get(name);
  const asker = context.get("asker");
  if (tokens?.includes(asker.name)) return name;
  const detail = `${asker.name} is no token of an executor ${name} of this host.`;
  const remedy = "Name it under `executors` in the config of the host, as one of its `tokens`.";
  throw new ApiProblem(404, "EXECUTOR_REFUSED", detail, { remedy });
}

function receiptOf(given: ReceiptRequest) {
  const { handout, workflow, intent: intentId, keyId } = given;
  const bytes = new Uint8Array(Buffer.from(given.signature, "base64"));
  return { handout, workflow, intentId, ...resultOf(given), signed: { keyId, bytes } };
}

function resultOf(given: ReceiptRequest): RemoteResult {
  if (given.status === "ok") return { status: "ok", result: given.result as CanonicalValue };
  return { status: "error", class: given.class, message: given.message };
}

/** Whoever executed it may forget it when the ledger has it, and not before. */
async function received(parts: ExecutorParts, context: ApiContext, given: ReceiptRequest) {
  const sent = sentOf(given.handout);
  if (sent === null) return context.json<ReceiptAnswer>({ outcome: "received" });
  const until = performance.now() + settledMsMax;
  while (performance.now() < until) {
    const row = await findMutation(parts.store, given.workflow, sent.mutationId);
    const isSettled = row !== null && (row.state !== "in_flight" || row.sendCount > sent.sendCount);
    if (isSettled) return context.json<ReceiptAnswer>({ outcome: "settled" });
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
  return context.json<ReceiptAnswer>({ outcome: "received" }, 202);
}

/** As `handoutOf` writes it; null = it is no change. */
function sentOf(handout: string) {
  const [, mutationId = "", count = ""] = /^(.+)\/(\d+)$/.exec(handout) ?? [];
  if (mutationId === "" || handout.startsWith("read/")) return null;
  return { mutationId, sendCount: Number(count) };
}

async function findMutation(
  store: Store,
  workflow: string,
  mutationId: string,
): Promise<MutationRow | null> {
  const need = { kind: "row", table: "mutations", key: [mutationId] } as const;
  const { rows } = await store.load(workflow, [need]).catch((error: unknown) => {
    if (error instanceof HostError && error.code === "WORKFLOW_UNKNOWN") return { rows: [] };
    throw error;
  });
  const found = rows.find((each) => each.table === "mutations");
  return found?.table === "mutations" ? found.row : null;
}

/**
 * Nobody here waits for it: the host that handed it out is gone, or gave it up. It is judged as
 * any other, and what is good is told to whoever owns the workflow, as a late answer.
 */
async function heardLate(
  parts: ExecutorParts,
  executor: string,
  given: ReceiptRequest,
): Promise<ReceiptAnswer["outcome"]> {
  const { store, now } = parts;
  const { workflow, intent } = given;
  const sent = sentOf(given.handout);
  const row = sent && (await findMutation(store, workflow, sent.mutationId));
  const isMeant = row?.itemId === intent && sent !== null && sent.sendCount <= row.sendCount;
  if (!row || !isMeant || row.sendCount === 0) throw refusal("intent_unknown", given);
  await judgeLate(parts, { executor, given, row });
  const result = given.status === "ok" ? encodeCanonical(given.result as CanonicalValue) : null;
  const known = knownOf(row, result, sent.sendCount);
  if (known === "conflict") throw refusal("conflict", given);
  if (known === "settled") return "settled";
  const why = given.status === "ok" ? "" : `: ${given.message.toWellFormed()}`;
  const note = `a signed receipt came late, key ${given.keyId}${why}`;
  const says = given.status === "ok" ? "applied" : "failed";
  const command = {
    commandId: `receipt ${workflow} ${given.handout}`,
    workflow,
    actor: actorOfHost(executor),
    kind: "record_late_answer",
    body: encodeCanonical({ mutationId: row.mutationId, says, result, note }),
    at: now(),
  };
  await store.appendCommand(command).catch((error: unknown) => {
    const isOther = error instanceof HostError && error.code === "COMMAND_ID_REUSED";
    throw isOther ? refusal("conflict", given) : error;
  });
  return "late";
}

/** Throws unless the executor's key has signed exactly this. */
async function judgeLate(
  { activeWorld }: ExecutorParts,
  asked: { readonly executor: string; given: ReceiptRequest; readonly row: MutationRow },
): Promise<void> {
  const { executor, given, row } = asked;
  const world = await activeWorld(given.workflow);
  if (world === null) throw refusal("intent_unknown", given);
  if (world.connectorOf(row.connection) !== executor) throw refusal("key_of_another", given);
  const payload = payloadOfResult(resultOf(given), (each) => receiptOfResult(world, row, each));
  const module = moduleOf(executor);
  const moduleHash = given.moduleHash as Hash;
  const by = { module, moduleHash, entrypoint: row.operation };
  const leaf = leafOf({ intentId: given.intent, executor: by }, given.status, payload);
  const verdict = judgeWord(module, leaf, receiptOf(given).signed);
  if (verdict !== "good") throw refusal(verdict, given);
}

/** Whether the ledger has an answer already: this one, or another; null = it waits for one. */
function knownOf(
  row: MutationRow,
  result: Uint8Array | null,
  sendCount: number,
): "settled" | "conflict" | null {
  const hash = result === null ? null : pinPayload(result).payload.hash;
  switch (row.state) {
    case "applied":
      return hash !== null && hash === row.result?.hash ? "settled" : "conflict";
    case "failed":
      return result === null ? "settled" : null;
    case "ready":
    case "awaiting_approval":
      return result === null ? "settled" : "conflict";
    default:
      return sendCount < row.sendCount && result === null ? "settled" : null;
  }
}

type Refused = Exclude<ReceiptVerdict, "received" | "nobody_waits">;

const refusals = {
  key_unlisted: [403, "RECEIPT_KEY_UNLISTED", "No executor of this host has that key."],
  key_of_another: [403, "RECEIPT_KEY_OF_ANOTHER", "It is not for this executor to say."],
  signature_wrong: [422, "RECEIPT_SIGNATURE_WRONG", "The signature is not over what it says."],
  intent_unknown: [404, "RECEIPT_INTENT_UNKNOWN", "Nothing was handed out under that name."],
  instance_wrong: [409, "RECEIPT_INSTANCE_WRONG", "It was handed out elsewhere."],
  conflict: [409, "RECEIPT_CONFLICT", "Another receipt of it was taken before."],
} as const satisfies Record<Refused, readonly [number, string, string]>;

function refusal(why: Refused, { handout }: ReceiptRequest): ApiProblem {
  const [status, code, detail] = refusals[why];
  return new ApiProblem(status, code, `${detail} (${handout})`);
}
