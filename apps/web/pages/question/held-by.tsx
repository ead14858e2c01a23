import { useMay } from "../../ask/use-me.ts";
import { CommandButton } from "../../show/command-button.tsx";
import { Fact } from "../../show/fact.tsx";
import { Moment } from "../../show/moment.tsx";
import type { QuestionCard } from "../../words/questions.ts";
import { brakeText, ofEveryWorkflow } from "../../words/states.ts";
import { countText } from "../../words/values.ts";

type HeldBy = NonNullable<QuestionCard["heldBy"]>;

/** Which brake, whose, and why; what they said is theirs. */
export function HeldFact({ heldBy }: { readonly heldBy: HeldBy }) {
  const { operation, reason, setBy, setAt } = heldBy;
  return (
    <Fact name="Held by">
      the brake on {brakeText(operation)}, set by {setBy} <Moment at={setAt} />
      {reason !== "" && (
        <>
          : <q>{reason}</q>
        </>
      )}
    </Fact>
  );
}

type ReleaseProps = { readonly workflow: string; readonly heldBy: HeldBy };

/** To let go is for an admin, who is told what goes out. */
export function Release({ workflow, heldBy: { operation, calls } }: ReleaseProps) {
  const may = useMay("admin");
  if (may === false) return <p className="quiet">An admin can take the brake off.</p>;
  if (operation === ofEveryWorkflow) {
    return (
      <p className="quiet">
        It is on for every workflow: <code>holdfast brake off --all</code> takes it off.
      </p>
    );
  }
  const goes = countText(calls, "call it holds goes", "calls it holds go");
  return (
    <div className="buttons">
      <CommandButton
        workflow={workflow}
        command="release_brake"
        body={{ operation }}
        says="Take the brake off …"
        warns={`${goes} out, as far as it is still allowed.`}
        least="admin"
      />
    </div>
  );
}
