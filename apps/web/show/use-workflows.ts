import type { WorkflowsAnswer } from "@holdfast/protocol";
import { useAsk } from "../ask/asked.ts";

/** More than one looks at; whoever has more finds the rest by name. */
const listedMax = 200;

export function useWorkflows() {
  return useAsk<WorkflowsAnswer>("/workflows", { limit: listedMax });
}
