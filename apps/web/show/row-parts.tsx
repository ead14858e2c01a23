import type { ReactNode } from "react";
import type { Said } from "../words/states.ts";
import { Mark } from "./mark.tsx";

type Props = {
  readonly said: Said;
  /** Another than that of the tone. */
  readonly sign?: string;
  readonly children: ReactNode;
  /** What stands at the end: where it is from, and when. */
  readonly end: ReactNode;
};

/** What every row of a list is made of. */
export function RowParts({ said, sign, children, end }: Props) {
  return (
    <>
      <Mark said={said} {...(sign === undefined ? {} : { sign })} />
      <span className="row-line">{children}</span>
      <span className="row-end quiet">{end}</span>
    </>
  );
}
