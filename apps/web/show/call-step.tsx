import type { ReactNode } from "react";
import { sayCall, sayGuarantee, sayResolution } from "../words/states.ts";
import type { Json } from "../words/values.ts";
import type { Call } from "../words/why.ts";
import { Evidence } from "./evidence.tsx";
import { Fold } from "./fold.tsx";
import { Mark } from "./mark.tsx";
import { Moment } from "./moment.tsx";
import { ScriptTitle } from "./script-title.tsx";
import { TimelineStep } from "./timeline-step.tsx";
import { useWhy } from "./use-why.ts";
import { ValueTable } from "./value-table.tsx";

type Props = { readonly workflow: string; readonly mutationId: string };

/** One outside call of a story: what was sent, what came of it, and how we know. */
export function CallStep({ workflow, mutationId }: Props) {
  const { data } = useWhy(workflow, mutationId);
  const call = data?.run?.calls.find((each) => each.mutationId === mutationId);
  if (call === undefined) return null;
  return <ShownCall call={call} />;
}

export function ShownCall({ call, more }: { readonly call: Call; readonly more?: ReactNode }) {
  const { operation, target, params, title, preview, guarantee, resolution, approval } = call;
  const said = sayCall(call);
  return (
    <TimelineStep said={said} at={call.settledAt ?? call.firstSentAt ?? call.recordedAt}>
      <p>
        <strong>{preview ?? `${operation} at ${target}`}</strong> <Mark said={said} />
      </p>
      {title !== null && <ScriptTitle title={title} />}
      {approval?.approvedAt != null && (
        <p className="quiet">
          {approval.actor} agreed to it <Moment at={approval.approvedAt} />.
        </p>
      )}
      {resolution !== null && (
        <p>
          {resolution.actor} {sayResolution(resolution.kind)} <Moment at={resolution.at} />.
        </p>
      )}
      <p className="guarantee" title={sayGuarantee(guarantee)}>
        {guarantee}
      </p>
      <Fold title="What was sent">{() => <ValueTable value={params as Json} />}</Fold>
      {(call.evidence.length > 0 || call.sendCount > 0) && (
        <Fold title="Evidence">{() => <Evidence call={call} />}</Fold>
      )}
      {more}
    </TimelineStep>
  );
}
