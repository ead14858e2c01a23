import { lengthText } from "./times.ts";

/** What was asked of a workflow, as who asked would say it. */
const commands: Readonly<Record<string, string>> = {
  activate_version: "deployed a version",
  propose_version: "proposed a version",
  shadow_version: "had a proposal tried on a copy",
  decide_version: "decided on a proposal",
  apply_version: "asked for a proposal to be applied",
  set_envelope: "said what it may do",
  archive_workflow: "put it away",
  restore_workflow: "took it out again",
  reset_topic: "let a topic be worked off again",
  reset_producer: "let it look from the beginning",
  release_brake: "released a brake",
  set_brake: "set a brake",
  pause_workflow: "paused it",
  resume_workflow: "let it go on",
  publish_event: "added something by hand",
  receive_delivery: "handed something in",
  skip_event: "left something out",
  skip_input: "left something out",
  reprocess_event: "had something done again",
  reprocess_input: "had something done again",
  reprocess_items: "had items done again",
  skip_item: "left an item out",
  start_fresh: "had all items of a job done again",
  accept_payload: "let what was done count",
  edit_mutation: "changed a call",
  run_now: "had it check now",
  resume_run: "let a run go on",
  retry_run: "tried a run again",
  stop_run: "gave a run up",
  approve_mutation: "agreed to a call",
  reject_mutation: "did not agree to a call",
  resolve_mutation: "said what became of a call",
  acknowledge: "took note of a question",
  continue_restored: "let it go on after a restore",
};

export function sayCommand(kind: string): string {
  return commands[kind] ?? kind.replaceAll("_", " ");
}

/** "every 15 min" of "every 900000 ms". */
export function sayStart(start: string): string {
  const [, ms] = /^every (\d+) ms$/.exec(start) ?? [];
  return ms === undefined ? start : `every ${lengthText(Number(ms))}`;
}
