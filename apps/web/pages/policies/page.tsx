import type { PolicyValue } from "@holdfast/protocol";
import { useAsk } from "../../ask/asked.ts";
import { usePageTitle } from "../../frame/page-title.ts";
import { Answered } from "../../show/answered.tsx";
import { CopyCommand } from "../../show/copy-command.tsx";
import { Limits } from "../../show/limits.tsx";

/** What this host was told for everything it runs; none of it is changed in a browser. */
export function PoliciesPage() {
  usePageTitle("Policies");
  const policy = useAsk<{ items: readonly PolicyValue[] }>("/policy");
  return (
    <>
      <h1>Policies</h1>
      <section>
        <div className="head">
          <h2>Stop all sending</h2>
          <CopyCommand words={["brake", "on", "--all"]} />
        </div>
        <p className="quiet">
          Nothing more is sent by any workflow until the brake is taken off again; what was sent is
          still found out about. It is an admin who sets it.
        </p>
      </section>
      <section>
        <div className="head">
          <h2>Limits and timings</h2>
          <CopyCommand words={["policies"]} />
        </div>
        <p className="quiet">
          What counts where nothing else is said for a workflow, a connection or an operation. The
          host reads it from its policy file when it starts.
        </p>
        <Answered query={policy} what="the limits">
          {({ items }) => <Limits items={items} />}
        </Answered>
      </section>
    </>
  );
}
