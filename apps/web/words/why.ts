import type { InputsAnswer, QuestionAnswer, RunsAnswer } from "@holdfast/protocol";
import type { Json } from "./values.ts";

export type Call = NonNullable<QuestionAnswer["call"]>;
export type Run = RunsAnswer["items"][number];
export type Input = InputsAnswer["items"][number];
export type InputName = Pick<Input, "inputId" | "source" | "type" | "externalId" | "title">;

export type Cause = {
  readonly kind: string;
  readonly until?: number | null;
  readonly attentionId?: string;
  readonly runId?: string;
  readonly mutationId?: string | null;
  readonly at?: number;
};

export type EventFacts = {
  readonly topic: string;
  readonly messageId: string;
  readonly title: string | null;
  readonly status: string;
  readonly payload: Json;
  readonly createdBy: string | null;
  readonly attempt: number;
  readonly inputs: readonly InputName[];
  readonly runs: readonly {
    readonly runId: string;
    readonly attempt: number;
    readonly status: string;
    readonly mutationId: string | null;
    readonly mutationState: string | null;
  }[];
};

/** Why something is where it is, with what belongs to it; the API tells the details as kept. */
export type Why = {
  readonly state: "moving" | "waiting" | "done" | "unexplained";
  readonly text: string;
  readonly because: readonly { readonly cause: Cause; readonly text: string }[];
  readonly run:
    | (Run & {
        readonly events: readonly {
          readonly topic: string;
          readonly messageId: string;
          readonly title: string | null;
        }[];
        readonly inputs: readonly InputName[];
        readonly calls: readonly Call[];
      })
    | null;
  readonly event: EventFacts | null;
  readonly input:
    | (Input & { readonly outputIds: readonly string[]; readonly story: readonly Why[] })
    | null;
};
