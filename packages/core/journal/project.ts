import { projectAttention } from "../attention/project-attention.ts";
import { projectFrame } from "../frame/project-frame.ts";
import { projectEnvelope } from "../grant/project-envelope.ts";
import { projectInbox } from "../inbox/project-inbox.ts";
import { projectIntent } from "../intent/project-intent.ts";
import { projectItem } from "../item/project-item.ts";
import { projectMutation } from "../mutation/project-mutation.ts";
import { projectProposal } from "../proposal/project-proposal.ts";
import { projectRestore } from "../restore/project-restore.ts";
import { projectRun } from "../run/project-run.ts";
import { projectSchedule } from "../schedule/project-schedule.ts";
import { projectTopic } from "../topic/project-topic.ts";
import { type RowChange, updateRow } from "../view/row-change.ts";
import { projectWorkflow } from "../workflow/project-workflow.ts";
import type { Fact } from "./fact.ts";
import type { ProjectionsOf } from "./projection.ts";
import type { JournalRecord } from "./record.ts";

const projections: ProjectionsOf<Fact> = {
  ...projectWorkflow,
  ...projectTopic,
  ...projectRun,
  ...projectMutation,
  ...projectSchedule,
  ...projectInbox,
  ...projectAttention,
  ...projectEnvelope,
  ...projectRestore,
  ...projectItem,
  ...projectFrame,
  ...projectIntent,
  ...projectProposal,
  checkpoint_taken: (_, { seq }) => [updateRow("workflows", [], { checkpointSeq: seq })],
};

/** All that can be recorded. */
export const factKinds = Object.keys(projections) as readonly Fact["kind"][];

export function isKnownFact(kind: string): kind is Fact["kind"] {
  return Object.hasOwn(projections, kind);
}

/** The row changes one recorded fact means, in the order the store must execute them. */
export function project(record: JournalRecord): RowChange[] {
  const projection = projections[record.fact.kind] as (
    fact: Fact,
    record: JournalRecord,
  ) => RowChange[];
  return projection(record.fact, record);
}
