import type { MachineReplayAnswer } from "@holdfast/protocol";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { get, of } from "../../ask/api.ts";
import { CopyCommand } from "../../show/copy-command.tsx";
import { Fold } from "../../show/fold.tsx";
import { Problem } from "../../show/problem.tsx";
import { countText } from "../../words/values.ts";

type Check =
  | { readonly kind: "idle" }
  | { readonly kind: "running" }
  | { readonly kind: "found"; readonly found: MachineReplayAnswer }
  | { readonly kind: "failed"; readonly error: unknown };

/** For the curious: whether all that is recorded comes about again, and what came of one thing. */
export function ReplayCheck({ workflow }: { readonly workflow: string }) {
  const [check, setCheck] = useState<Check>({ kind: "idle" });
  const run = async () => {
    setCheck({ kind: "running" });
    try {
      const path = of(workflow, "machines", "replay");
      setCheck({ kind: "found", found: await get<MachineReplayAnswer>(path) });
    } catch (error) {
      setCheck({ kind: "failed", error });
    }
  };
  return (
    <Fold title="Details: follow something, check the record">
      {() => (
        <>
          <p>
            <Link to="/page/workflows/$workflow/trace" params={{ workflow }}>
              Follow something that came in
            </Link>{" "}
            <span className="quiet">to all that came of it</span>
          </p>
          <p>
            Everything that the machines did is recorded. It can be done again from the first record
            on, and compared: nothing is sent, and nothing changes.
          </p>
          <div className="buttons">
            <button type="button" disabled={check.kind === "running"} onClick={() => void run()}>
              Do it all again and compare
            </button>
            <CopyCommand words={["machine", "replay", workflow]} />
          </div>
          <div role="status">
            {check.kind === "running" && <p className="quiet">Doing it all again …</p>}
            {check.kind === "found" && <Found found={check.found} />}
            {check.kind === "failed" && <Problem error={check.error} />}
          </div>
        </>
      )}
    </Fold>
  );
}

function Found({ found }: { readonly found: MachineReplayAnswer }) {
  if (found.ok) {
    return (
      <p>
        <strong>It agrees.</strong> {countText(found.records, "record")} came about again, each
        exactly as it is recorded.
      </p>
    );
  }
  return (
    <p className="problem">
      <strong>It does not agree: record {found.seq} comes about differently.</strong> Nothing was
      changed. <code>{found.code}</code>
    </p>
  );
}
