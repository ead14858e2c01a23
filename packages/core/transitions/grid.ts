/** A table written as text: the first line names the columns, every other line is one row. */
export type Grid = {
  readonly columns: readonly string[];
  readonly rows: ReadonlyMap<string, readonly string[]>;
  /** Rows that stand there twice. */
  readonly repeated: readonly string[];
};

/** Marks a cell that nobody has filled in yet. */
const unfilled = "?";

export function parseGrid(text: string): Grid {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const [columns = [], ...body] = lines.map((line) => line.trim().split(/\s+/));
  const rows = new Map<string, readonly string[]>();
  const repeated: string[] = [];
  for (const [name = "", ...cells] of body) {
    if (rows.has(name)) repeated.push(name);
    rows.set(name, cells);
  }
  return { columns, rows, repeated };
}

/** The whole product of rows and columns must be there, each cell filled, and nothing else. */
export function missingOrExtra(
  grid: Grid,
  wanted: { readonly columns: readonly string[]; readonly rows: readonly string[] },
): string[] {
  const problems = grid.repeated.map((name) => `row ${name} stands there twice`);
  if (grid.columns.join(" ") !== wanted.columns.join(" ")) {
    problems.push(`columns are ${grid.columns.join(" ")}, not ${wanted.columns.join(" ")}`);
  }
  for (const name of wanted.rows) {
    const cells = grid.rows.get(name);
    if (!cells) problems.push(`row ${name} is missing`);
    else problems.push(...wrongCells(name, cells, wanted.columns));
  }
  for (const name of grid.rows.keys()) {
    if (!wanted.rows.includes(name)) problems.push(`row ${name} is nobody's`);
  }
  return problems;
}

function wrongCells(row: string, cells: readonly string[], columns: readonly string[]): string[] {
  const empty = columns.filter((_, index) => cells[index] === unfilled);
  const problems = empty.map((column) => `cell ${row} × ${column} is missing`);
  if (cells.length !== columns.length) {
    problems.push(`row ${row} has ${cells.length} cells for ${columns.length} states`);
  }
  return problems;
}
