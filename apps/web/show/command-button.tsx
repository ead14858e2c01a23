import type { Role } from "@holdfast/protocol";
import { useState } from "react";
import { useCommand } from "../ask/use-command.ts";
import { useMay } from "../ask/use-me.ts";
import { Problem } from "./problem.tsx";

type Props = {
  readonly workflow: string;
  readonly command: string;
  readonly body?: object;
  readonly says: string;
  /** What it will do, said before it is done; null = it does no harm and is done at once. */
  readonly warns: string | null;
  readonly least?: Role;
  /** When it is done. */
  readonly onDone?: () => void;
};

/** A deed with its consequences, for those who may do it. */
export function CommandButton(props: Props) {
  const { workflow, command, body, says, warns, least = "operator", onDone } = props;
  const { asking, ask } = useCommand(workflow, onDone);
  const [isOpen, setOpen] = useState(false);
  const may = useMay(least);
  if (may === false) return null;
  const act = () => {
    setOpen(false);
    ask(command, body);
  };
  return (
    <span className="deed">
      <button
        type="button"
        disabled={may !== true || asking.kind === "asking"}
        aria-expanded={warns === null ? undefined : isOpen}
        onClick={warns === null ? act : () => setOpen(!isOpen)}
      >
        {says}
      </button>
      {isOpen && (
        <span className="more">
          <span>{warns}</span>
          <span className="buttons">
            <button type="button" className="risky" onClick={act}>
              {says.replace(" …", "")}
            </button>
            <button type="button" className="plain" onClick={() => setOpen(false)}>
              Not now
            </button>
          </span>
        </span>
      )}
      {asking.kind === "refused" && <Problem error={asking.error} />}
    </span>
  );
}
