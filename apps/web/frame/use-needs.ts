import type { QuestionsAnswer } from "@holdfast/protocol";
import { useAsk } from "../ask/asked.ts";

/** Enough to count; of more it is only said that there are more. */
const countedMax = 100;

export function useNeeds() {
  return useAsk<QuestionsAnswer>("/attention", { limit: countedMax });
}

export type Needs = { readonly count: number; readonly isMore: boolean };

export function countOf(found: QuestionsAnswer | undefined): Needs {
  return { count: found?.items.length ?? 0, isMore: (found?.next ?? null) !== null };
}

export function needsText({ count, isMore }: Needs): string {
  return isMore ? `${count}+` : `${count}`;
}
