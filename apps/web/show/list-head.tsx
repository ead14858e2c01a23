import type { ReactNode } from "react";
import { CopyCommand } from "./copy-command.tsx";
import { Filter } from "./filter.tsx";
import { FindField } from "./find-field.tsx";

/** What a list is narrowed by; it stands in the address. */
export type Narrowed = { readonly status?: string; readonly find?: string };

/** The same for a command. */
export function narrowedBy({ status, find }: Narrowed, narrows: string): readonly string[] {
  return [status ? [`--${narrows}`, status] : [], find ? ["--text", find] : []].flat();
}

type Props = {
  readonly search: Narrowed;
  readonly onSearch: (search: Narrowed) => void;
  readonly name: string;
  readonly values: readonly (readonly [value: string, says: string])[];
  readonly command: readonly string[];
  /** Filters of this list only. */
  readonly children?: ReactNode;
};

/** What stands above a list. */
export function ListHead({ search, onSearch, name, values, command, children }: Props) {
  const set = ({ status, find }: Narrowed) => {
    onSearch({ ...(status ? { status } : {}), ...(find ? { find } : {}) });
  };
  return (
    <div className="head">
      <div className="filters">
        {children}
        <Filter
          name={name}
          value={search.status}
          values={values}
          onChange={(status) => set({ ...search, status })}
          onAll={() => set({ ...search, status: "" })}
        />
        <FindField value={search.find ?? ""} onChange={(find) => set({ ...search, find })} />
      </div>
      <CopyCommand words={command} />
    </div>
  );
}
