import {
  type AllowLike,
  allowLike,
  type CanonicalValue,
  decodeCanonical,
  type Instant,
  type RiskTier,
  type StandingRule,
  type Store,
} from "@holdfast/core";
import { bytesOf } from "../engine/values.ts";
import { findQuestion } from "./list-attention.ts";
import { readEnvelope, type ShownEnvelope } from "./read-envelope.ts";

export type RuleLike = AllowLike & {
  /** What it was made from; null = nothing was ever granted. */
  readonly from: ShownEnvelope | null;
};

/** A standing rule made of the call that a question is about; null = it is about none. */
export async function ruleLike(
  store: Store,
  workflow: string,
  asked: {
    readonly attentionId: string;
    readonly rule: StandingRule;
    readonly now: Instant;
    readonly riskOf: (operation: string) => RiskTier | null;
  },
): Promise<RuleLike | null> {
  const question = await findQuestion(store, workflow, asked.attentionId);
  if (question?.kind !== "approval" || question.call === null) return null;
  const key = [question.call.mutationId];
  const { rows } = await store.load(workflow, [{ kind: "row", table: "mutations", key }]);
  const found = rows.find((each) => each.table === "mutations");
  if (found?.table !== "mutations") return null;
  const { connection, operation, payload } = found.row;
  const params: CanonicalValue = decodeCanonical(await bytesOf(store, workflow, payload));
  const from = await readEnvelope(store, workflow);
  const name = `${connection}.${operation}`;
  const call = { operation: name, params, risk: asked.riskOf(name) };
  return { ...allowLike(from?.grants ?? [], call, asked), from };
}
