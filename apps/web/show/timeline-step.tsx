import type { ReactNode } from "react";
import type { Said } from "../words/states.ts";
import { signOf } from "./mark.tsx";
import { Clock } from "./moment.tsx";

type Props = { readonly said: Said; readonly at: number | null; readonly children: ReactNode };

/** One row of a timeline: a sign, the exact time, and what happened. */
export function TimelineStep({ said, at, children }: Props) {
  return (
    <li>
      <span className={`sign tone-${said.tone}`} aria-hidden="true">
        {signOf(said.tone)}
      </span>
      {at === null ? <span className="clock" /> : <Clock at={at} />}
      <div className="told">{children}</div>
    </li>
  );
}
