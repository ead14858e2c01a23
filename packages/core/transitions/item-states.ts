import type { CoreCommand } from "../command.ts";
import type { Progress } from "../workflow/activate-version.ts";
import * as c from "./command-builder.ts";
import { Scenario } from "./scenario.ts";

/** What a job has come to with its item i1. */
export type ItemColumn =
  | "none"
  | "proc"
  | "ready"
  | "appl"
  | "asked"
  | "indet"
  | "differs"
  | "failed"
  | "again"
  | "done"
  | "skipped"
  | "stale";

const tidy = {
  name: "tidy",
  kind: "job",
  subscribe: [],
  publishes: null,
  onMutationFailed: "prepare",
  catchUp: "once",
  webhook: false,
  start: "manual",
  scheduled: false,
} as const;

export function withJob(major: number, progress: Progress = "keep"): CoreCommand {
  const version = c.version(major, 0);
  return { ...version, progress, handlers: [...version.handlers, tidy] };
}

/** A run of the job, in no item yet. */
function tidying(): Scenario {
  const s = new Scenario().run({ kind: "create_workflow", name: "w" }).run(withJob(1));
  const asOf = s.view.head.seq;
  return s.run({ kind: "start_run", handler: "tidy", asOf, trigger: "manual" });
}

function enterItem(s: Scenario): Scenario {
  return s.run({ kind: "enter_item", runId: s.runId, itemId: "i1", title: "Item 1" });
}

function inItem(): Scenario {
  return enterItem(tidying());
}

/** Its one call was applied; the handler has not come to its end. */
function applied(): Scenario {
  const s = inItem();
  s.run(c.recordMutation(s));
  s.run(c.send(s));
  return s.run(c.settleApplied(s));
}

function done(): Scenario {
  const s = applied();
  return s.run(c.completeItem(s.runId));
}

export function itemState(column: ItemColumn): Scenario {
  switch (column) {
    case "none":
      return tidying();
    case "proc":
      return inItem();
    case "ready": {
      const s = inItem();
      return s.run(c.recordMutation(s));
    }
    case "appl":
      return applied();
    case "asked": {
      const s = inItem();
      return s.run(c.recordMutation(s, { ask: c.askFor(s) }));
    }
    case "indet": {
      const s = inItem();
      s.run(c.recordMutation(s, { canReconcile: false, retentionMs: null }));
      s.run(c.send(s));
      return s.run(c.settleUnknown(s));
    }
    case "differs": {
      const s = applied();
      return s.run(c.comparePayload(s));
    }
    case "failed": {
      const s = applied();
      return s.run(c.failRun(s, "logic"));
    }
    case "again": {
      const s = itemState("failed");
      s.run(c.onRun("retry_run", s)).run(c.onRun("start_retry", s));
      return enterItem(s);
    }
    case "done":
      return done();
    case "skipped": {
      const s = itemState("differs");
      return enterItem(s.run({ kind: "skip_item", itemId: "i1", actor: c.actor }));
    }
    case "stale": {
      const s = done();
      s.run(c.commitRun(s)).run({ kind: "start_fresh", handler: "tidy", actor: c.actor });
      const asOf = s.view.head.seq;
      return s.run({ kind: "start_run", handler: "tidy", asOf, trigger: "manual" });
    }
  }
}
