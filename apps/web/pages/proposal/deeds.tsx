import { useState } from "react";
import { useMay } from "../../ask/use-me.ts";
import { CommandButton } from "../../show/command-button.tsx";
import { CopyCommand } from "../../show/copy-command.tsx";
import { isFree, mayWait } from "../../words/proposals.ts";
import type { ProposalProps } from "./page.tsx";
import { TryIt } from "./try-it.tsx";

const agrees =
  "Nothing changes yet: it is applied in a step of its own. Whoever agrees has looked at what " +
  "came of trying it.";
const rejects = "It is turned down for good. The version of now stays as it is.";

/** What comes next for it, and only that. */
export function Deeds({ workflow, proposal }: ProposalProps) {
  switch (proposal.status) {
    case "submitted":
      return <TryIt workflow={workflow} proposal={proposal} isFirst={true} />;
    case "shadowed":
      return (
        <>
          <Decide workflow={workflow} proposal={proposal} />
          <TryIt workflow={workflow} proposal={proposal} isFirst={false} />
        </>
      );
    case "approved":
      return <Apply workflow={workflow} proposal={proposal} />;
    default:
      return null;
  }
}

function Decide({ workflow, proposal }: ProposalProps) {
  const { number, patchHash } = proposal;
  const [reason, setReason] = useState("");
  const may = useMay("admin");
  if (may === false) return <p className="quiet">Somebody who is admin decides on it.</p>;
  const body = (says: "approve" | "reject") => {
    return { number, patchHash, says, reason: reason === "" ? null : reason };
  };
  return (
    <>
      <label className="reason">
        Why (may be left out)
        <input value={reason} onChange={({ currentTarget }) => setReason(currentTarget.value)} />
      </label>
      <div className="buttons">
        <CommandButton
          workflow={workflow}
          command="decide_version"
          body={body("approve")}
          says="Agree to it …"
          warns={agrees}
          least="admin"
        />
        <CommandButton
          workflow={workflow}
          command="decide_version"
          body={body("reject")}
          says="Turn it down …"
          warns={rejects}
          least="admin"
        />
        <CopyCommand words={["machine", "approve", workflow, String(number)]} />
      </div>
    </>
  );
}

function Apply({ workflow, proposal }: ProposalProps) {
  const { number, version, waits, obstacles, heldBy } = proposal;
  const isHeld = obstacles !== null && !isFree(obstacles);
  return (
    <>
      {heldBy !== null && !waits && isHeld && (
        <p>It was to be applied, and something stood in its way. It stays agreed to.</p>
      )}
      <div className="buttons">
        <CommandButton
          workflow={workflow}
          command="apply_version"
          body={{ number, waits: false }}
          says={`Apply version ${version} now …`}
          warns={
            isHeld
              ? "Something stands in its way: it is only applied if that is gone by then."
              : "It is active from its next turn on. What is known stays as it is."
          }
          least="admin"
        />
        {isHeld && !waits && mayWait(obstacles) && (
          <CommandButton
            workflow={workflow}
            command="apply_version"
            body={{ number, waits: true }}
            says="Apply it when nothing stands in its way …"
            warns="It is applied by itself, without asking again. Until then all goes on as it is."
            least="admin"
          />
        )}
        <CopyCommand words={["machine", "apply", workflow, String(number), "--wait"]} />
      </div>
    </>
  );
}
