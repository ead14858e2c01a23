import type { ReactNode } from "react";
import { of, type Query } from "../ask/api.ts";
import { ListHead, type Narrowed, narrowedBy } from "./list-head.tsx";
import { RowList } from "./row-list.tsx";

type Props<T> = {
  readonly workflow: string;
  /** After the workflow in the API's address. */
  readonly list: string;
  /** The same as a command. */
  readonly command: readonly string[];
  readonly search: Narrowed;
  readonly onSearch: (search: Narrowed) => void;
  /** What the filter is called, and its values with what each says. */
  readonly name?: string;
  /** What the API calls that filter. */
  readonly narrows?: string;
  readonly values: readonly (readonly [value: string, says: string])[];
  /** What is listed, as "what came in". */
  readonly what: string;
  /** The names of what is kept apart. Not made anew each time it is drawn. */
  readonly idOf: (row: T) => string;
  readonly row: (row: T) => ReactNode;
  readonly empty: ReactNode;
  /** Of this list only: what else it is narrowed by. */
  readonly query?: Query;
  readonly filters?: ReactNode;
  /** What can be done with all that is listed. */
  readonly deeds?: ReactNode;
};

/** A list of a workflow: what it is narrowed by stands in the address, and it is read by pages. */
export function ListPage<T>(props: Props<T>) {
  const { workflow, list, command, search, onSearch, values } = props;
  const { name = "State", narrows = "status" } = props;
  const { what, idOf, row, empty, query, filters, deeds } = props;
  return (
    <section>
      <ListHead
        search={search}
        onSearch={onSearch}
        name={name}
        values={values}
        command={[...command, workflow, ...narrowedBy(search, narrows)]}
      >
        {filters}
      </ListHead>
      {deeds}
      <div className="panel">
        <RowList<T>
          path={of(workflow, ...list.split("/"))}
          query={{ [narrows]: search.status, text: search.find, ...query }}
          what={what}
          idOf={idOf}
          row={row}
          empty={empty}
        />
      </div>
    </section>
  );
}
