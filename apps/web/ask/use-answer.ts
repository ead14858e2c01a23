import type { AnswerRequest, VerdictAnswer } from "@holdfast/protocol";
import { useState } from "react";
import { of, post } from "./api.ts";
import { asked, keyOf } from "./asked.ts";
import { newKey } from "./new-key.ts";
import { forgetDrafts } from "./use-draft.ts";

export type Giving =
  | { readonly kind: "idle" }
  | { readonly kind: "giving"; readonly answer: string }
  | { readonly kind: "taken"; readonly verdict: VerdictAnswer }
  | { readonly kind: "refused"; readonly error: unknown; readonly given: AnswerRequest };

export type Asked = { readonly workflow: string; readonly attentionId: string };

export function pathOf({ workflow, attentionId }: Asked): string {
  return of(workflow, "attention", attentionId);
}

/** The same answer has the same key: given again after a lost connection, it counts once. */
const keys = new Map<string, string>();

export async function giveAnswer(question: Asked, given: AnswerRequest): Promise<VerdictAnswer> {
  const path = pathOf(question);
  const name = `${path} ${JSON.stringify(given)}`;
  const key = keys.get(name) ?? newKey();
  keys.set(name, key);
  return post<VerdictAnswer>(path, given, key);
}

export function useAnswer(question: Asked) {
  const [giving, setGiving] = useState<Giving>({ kind: "idle" });
  const give = async (given: AnswerRequest) => {
    setGiving({ kind: "giving", answer: given.answer });
    try {
      setGiving({ kind: "taken", verdict: await giveAnswer(question, given) });
      forgetDrafts(`${question.workflow} ${question.attentionId}`);
    } catch (error) {
      setGiving({ kind: "refused", error, given });
    }
    await asked.invalidateQueries({ queryKey: keyOf(pathOf(question)) });
  };
  return { giving, give: (given: AnswerRequest) => void give(given) };
}
