import type { ShadowAnswer } from "@holdfast/protocol";
import { useState } from "react";
import { of, post } from "../../ask/api.ts";
import { newKey } from "../../ask/new-key.ts";
import { useMay } from "../../ask/use-me.ts";
import { CopyCommand } from "../../show/copy-command.tsx";
import { Problem } from "../../show/problem.tsx";
import type { ProposalProps } from "./page.tsx";

type Trying =
  | { readonly kind: "idle" }
  | { readonly kind: "trying" }
  | { readonly kind: "refused"; readonly error: unknown };

const recentFirst = 20;
const recentMax = 1_000;

/** With what came in last, as it came: nothing is sent, and what it asks for stays open. */
export function TryIt({
  workflow,
  proposal,
  isFirst,
}: ProposalProps & { readonly isFirst: boolean }) {
  const [recent, setRecent] = useState(recentFirst);
  const [trying, setTrying] = useState<Trying>({ kind: "idle" });
  const may = useMay("operator");
  if (may === false) return null;
  const number = String(proposal.number);
  const run = async () => {
    setTrying({ kind: "trying" });
    try {
      const path = of(workflow, "machines", "proposals", number, "shadow");
      await post<ShadowAnswer>(path, { recent }, newKey());
      setTrying({ kind: "idle" });
    } catch (error) {
      setTrying({ kind: "refused", error });
    }
  };
  return (
    <div className="deed">
      <div className="buttons">
        <button
          type="button"
          className={isFirst ? "main" : undefined}
          disabled={may !== true || trying.kind === "trying"}
          onClick={() => void run()}
        >
          {isFirst ? "Try it on a copy" : "Try it once more"}
        </button>
        <label className="filter">
          with the last
          <input
            type="number"
            min={0}
            max={recentMax}
            value={recent}
            onChange={({ currentTarget }) => setRecent(Number(currentTarget.value))}
          />
          that came in
        </label>
        <CopyCommand words={["machine", "shadow", workflow, number, "--recent", String(recent)]} />
      </div>
      <p className="quiet" role="status">
        {trying.kind === "trying"
          ? "Trying it on a copy …"
          : "It runs beside the version of now on a copy. Nothing is sent, and nothing changes."}
      </p>
      {trying.kind === "refused" && <Problem error={trying.error} />}
    </div>
  );
}
