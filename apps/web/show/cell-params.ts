/** How the address of a cell names it. */
type CellAddress = {
  readonly workflow: string;
  /** Its whole name. */
  readonly machine: string;
  readonly keyText: string | null;
};

/** Of a machine that has one alone; no key is written so. */
export const onlyCell = "-";

export function cellParams({ workflow, machine, keyText }: CellAddress) {
  const short = machine.startsWith(`${workflow}/`) ? machine.slice(workflow.length + 1) : machine;
  return { workflow, machine: short, cell: keyText ?? onlyCell };
}
