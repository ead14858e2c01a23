import type { CellAnswer } from "@holdfast/protocol";
import { CommandButton } from "../../show/command-button.tsx";
import { CopyCommand } from "../../show/copy-command.tsx";
import { countText } from "../../words/values.ts";

type Props = { readonly workflow: string; readonly cell: CellAnswer };

const redelivers =
  "Its script looks again at what it stopped at, in the version of now. If it makes a mistake " +
  "again, it stops again, and nothing else changes.";

/** What can be done about one that has stopped. */
export function Deeds({ workflow, cell }: Props) {
  const { machine, keyText, status, failed, waiting } = cell;
  if (status !== "failed") return null;
  const key: unknown = keyText === null ? null : JSON.parse(keyText);
  const typed = keyText === null ? [] : ["--cell", keyText];
  const behind = Math.max(0, waiting - 1);
  const then =
    behind === 0
      ? "Then it waits for what comes in next."
      : `${countText(behind, "thing")} behind it come next.`;
  if (failed === "receipt") {
    return (
      <div className="buttons">
        <CommandButton
          workflow={workflow}
          command="restart_cell"
          body={{ machine, key, poison: "redeliver" }}
          says="Let it go on …"
          warns="It goes on with what waits for it. What it could not take is not given again."
        />
      </div>
    );
  }
  return (
    <div className="buttons">
      <CommandButton
        workflow={workflow}
        command="restart_cell"
        body={{ machine, key, poison: "redeliver" }}
        says="Let it go on with it …"
        warns={redelivers}
      />
      <CommandButton
        workflow={workflow}
        command="restart_cell"
        body={{ machine, key, poison: "drop" }}
        says="Let it go on without it …"
        warns={`What it stopped at is left out for good; it stays on record. ${then}`}
      />
      <CopyCommand words={["machine", "restart", workflow, machine, ...typed, "--redeliver"]} />
    </div>
  );
}
