import type { ProjectionsOf } from "../journal/projection.ts";
import { insertRow, updateRow } from "../view/row-change.ts";
import type { EnvelopeFact } from "./envelope-facts.ts";

export const projectEnvelope: ProjectionsOf<EnvelopeFact> = {
  envelope_set: ({ number, grants, actor }, { at }) => [
    insertRow("envelopes", { number, grants, setBy: actor, setAt: at }),
    updateRow("workflows", [], { envelope: number }),
  ],
};
