import type { AttentionFact } from "../attention/attention-facts.ts";
import type { FrameFact } from "../frame/frame-facts.ts";
import type { EnvelopeFact } from "../grant/envelope-facts.ts";
import type { InboxFact } from "../inbox/inbox-facts.ts";
import type { IntentFact } from "../intent/intent-facts.ts";
import type { ItemFact } from "../item/item-facts.ts";
import type { MutationFact } from "../mutation/mutation-facts.ts";
import type { ProposalFact } from "../proposal/proposal-facts.ts";
import type { RestoreFact } from "../restore/restore-facts.ts";
import type { RunFact } from "../run/run-facts.ts";
import type { ScheduleFact } from "../schedule/schedule-facts.ts";
import type { TopicFact } from "../topic/topic-facts.ts";
import type { WorkflowFact } from "../workflow/workflow-facts.ts";
import type { CheckpointFact } from "./checkpoint.ts";

/**
 * Raised whenever a fact gains a meaning an older program would misread. A host never claims a
 * workflow whose journal is ahead of it.
 */
export const factVersion = 1;

/** Everything that can be recorded to have happened. Facts are past, commands are imperative. */
export type Fact =
  | WorkflowFact
  | TopicFact
  | RunFact
  | MutationFact
  | ScheduleFact
  | InboxFact
  | AttentionFact
  | EnvelopeFact
  | RestoreFact
  | ItemFact
  | FrameFact
  | IntentFact
  | ProposalFact
  | CheckpointFact;

export type FactKind = Fact["kind"];
