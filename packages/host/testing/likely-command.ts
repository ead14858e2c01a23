import {
  type CommandKind,
  isSettled,
  type MutationRow,
  type RunRow,
  type View,
} from "@holdfast/core";
import { type Choice, makers } from "./random-command.ts";

const kinds = Object.keys(makers) as CommandKind[];

/** Two thirds of the steps move things on, the rest is anything at all, sensible or not. */
export function likelyKind(view: View, { op }: Choice): CommandKind {
  const candidates = op % 3 === 0 ? kinds : likelyKinds(view);
  return candidates[Math.floor(op / 3) % candidates.length] ?? "create_workflow";
}

function likelyKinds(view: View): readonly CommandKind[] {
  const workflow = view.find("workflows");
  if (!workflow) return ["create_workflow"];
  if (workflow.versionMajor === 0) return ["activate_version"];
  if (workflow.status === "archived") return ["restore_workflow"];
  if (workflow.status === "paused" || workflow.error !== null) return ["resume_workflow"];
  if (view.find("brakes", "*")) return ["continue_restored", "publish_event", "start_run"];
  const run = [...view.rows("runs")].find((one) => one.open);
  if (!run) return ["publish_event", "start_run", "start_run"];
  const mutation = [...view.rows("mutations")].find(
    (one) => one.runId === run.runId && !isSettled(one.state) && one.resolution?.kind !== "skip",
  );
  return mutation ? mutationKinds(mutation, run) : runKinds(run);
}

function runKinds(run: RunRow): readonly CommandKind[] {
  if (run.retryFrom !== null) return ["start_retry"];
  if (run.status.startsWith("paused:")) return ["resume_run"];
  if (run.status !== "active") return ["retry_run", "activate_version"];
  switch (run.phase) {
    case "preparing":
      return ["finish_prepare"];
    case "prepared":
      return ["record_mutation", "record_mutation", "finish_mutate", "commit_run"];
    case "mutating":
      return ["record_mutation", "finish_mutate"];
    default:
      return ["commit_run", "commit_run", "fail_run"];
  }
}

function mutationKinds(mutation: MutationRow, run: RunRow): readonly CommandKind[] {
  switch (mutation.state) {
    case "awaiting_approval":
      return ["approve_mutation", "reject_mutation", "edit_mutation", "expire_approval"];
    case "ready":
      return run.status === "active"
        ? ["send_mutation", "send_mutation", "ask_approval"]
        : ["resume_run", "resolve_mutation"];
    case "in_flight":
      return ["settle_mutation", "settle_mutation", "recover_run", "report_unsent"];
    case "needs_reconcile":
      return ["answer_reconcile", "resend_mutation"];
    default:
      return ["resolve_mutation"];
  }
}
