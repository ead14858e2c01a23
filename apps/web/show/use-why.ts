import { of } from "../ask/api.ts";
import { useAsk } from "../ask/asked.ts";
import type { Why } from "../words/why.ts";

/** Why a workflow, or what the id names in it, is where it is. */
export function useWhy(workflow: string, ...id: readonly string[]) {
  return useAsk<Why>(of(workflow, "why", ...id));
}
