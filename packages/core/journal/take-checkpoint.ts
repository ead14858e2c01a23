import type { Blob } from "../view/payload.ts";
import type { TableCheckpoint } from "./checkpoint.ts";
import { type Rule, refuse } from "./decision.ts";

export type TakeCheckpoint = {
  readonly kind: "take_checkpoint";
  readonly tables: readonly TableCheckpoint[];
  readonly chunks: readonly Blob[];
};

export const takeCheckpoint: Rule<TakeCheckpoint> = (draft, { tables, chunks }) => {
  if (!draft.view.find("workflows")) return refuse("workflow_not_created");
  for (const chunk of chunks) draft.store(chunk);
  draft.emit({ kind: "checkpoint_taken", tables });
  return null;
};
