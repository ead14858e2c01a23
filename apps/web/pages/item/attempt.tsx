import type { JobItemAnswer } from "@holdfast/protocol";
import { Link } from "@tanstack/react-router";
import { ShownCall } from "../../show/call-step.tsx";
import type { Call } from "../../words/why.ts";

type Props = {
  readonly workflow: string;
  readonly attempt: JobItemAnswer["attempts"][number];
  readonly isLast: boolean;
};

/** What one attempt has done outside, in order, and with which script. */
export function Attempt({ workflow, attempt: { attempt, versions, calls }, isLast }: Props) {
  return (
    <section className="panel">
      <h2>
        Attempt {attempt}{" "}
        <span className="quiet">
          {versions.length > 0 && `version ${versions.join(", ")}`}
          {!isLast && " · counts no more"}
        </span>
      </h2>
      <div className="panel-body">
        {calls.length === 0 && <p className="quiet">Nothing was sent outside for it.</p>}
        <ol className="timeline">
          {calls.map((call) => (
            <ShownCall
              key={call.mutationId}
              call={call}
              more={<OutputLink workflow={workflow} call={call} />}
            />
          ))}
        </ol>
      </div>
    </section>
  );
}

function OutputLink({ workflow, call }: { readonly workflow: string; readonly call: Call }) {
  const { mutationId } = call;
  return (
    <p>
      <Link
        to="/page/workflows/$workflow/outputs/$output"
        params={{ workflow, output: mutationId }}
        className="quiet"
      >
        All about {mutationId}
      </Link>
    </p>
  );
}
