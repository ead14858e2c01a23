/** The bar a metric has to keep, as bounds of its `ratio`. Machines differ; ratios hardly do. */
export type Must = { readonly atLeast?: number; readonly atMost?: number };

/** One line of the report; the JSON holds exactly these. */
export type Result = {
  readonly metric: string;
  readonly value: number;
  readonly unit: string;
  /** What the value is held against, measured in the same run and in the same unit. */
  readonly reference?: number;
  /** Median of the rounds' own ratios, so a little off `value / reference` on a noisy machine. */
  readonly ratio?: number;
  readonly must?: Must;
};

/** A result with what only people read. */
export type Measured = Result & {
  /** Least and most of the rounds, in the result's unit. */
  readonly spread?: readonly [number, number];
  /** Metric that `reference` is the value of. */
  readonly against?: string;
};

export type BenchContext = {
  /** Empty, on a disk, and removed afterwards. */
  readonly folder: string;
  /** Fewer rounds and less data: to see that it runs, and for a first look. */
  readonly quick: boolean;
  /** On a PostgreSQL server; only a bench that says it can is asked to. */
  readonly postgres: boolean;
  readonly progress: (text: string) => void;
};

/** One bench is one file that exports this, and one line in bench-list.ts. */
export type Bench = {
  readonly name: string;
  readonly describe: string;
  /** Absent = `--postgres` is refused. */
  readonly canPostgres?: true;
  readonly run: (context: BenchContext) => Promise<readonly Measured[]>;
};
