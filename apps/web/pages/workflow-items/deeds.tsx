import { CommandButton } from "../../show/command-button.tsx";
import { countText } from "../../words/values.ts";

type Props = {
  readonly workflow: string;
  /** Undefined = none is chosen. */
  readonly job: string | undefined;
  readonly chosen: readonly string[];
  readonly onDone: () => void;
};

const freshens =
  "Every item of this job begins a new attempt when the job meets it again: all its calls are " +
  "made once more, also those of items that are done. What was done stays done and on record.";

/** What can be done with several items at once. */
export function Deeds({ workflow, job, chosen, onDone }: Props) {
  if (job === undefined && chosen.length === 0) return null;
  return (
    <div className="buttons list-deeds">
      {chosen.length > 0 && (
        <CommandButton
          workflow={workflow}
          command="reprocess_items"
          body={{ itemIds: chosen }}
          says={`Do ${countText(chosen.length, "chosen item")} again …`}
          warns={
            "Each begins a new attempt when its job meets it again: all its calls are made once " +
            "more. What was done before stays done, and stays on record."
          }
          onDone={onDone}
        />
      )}
      {job !== undefined && (
        <CommandButton
          workflow={workflow}
          command="start_fresh"
          body={{ handler: job }}
          says={`Start all items of ${job} fresh …`}
          warns={freshens}
        />
      )}
    </div>
  );
}
