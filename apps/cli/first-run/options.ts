import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { UsageError } from "../store-place.ts";
import { isDesktop } from "./open-page.ts";

export type FirstRunOptions = {
  readonly folder: string;
  /** Whether commands have to be told which folder it is. */
  readonly isOwnFolder: boolean;
  readonly lossShare: number;
  /** Whether the page is opened in a browser. */
  readonly isShown: boolean;
  /** Null = nobody kills the host. */
  readonly chaos: ChaosOptions | null;
};

export type ChaosOptions = {
  /** Null = until it is stopped. */
  readonly minutes: number | null;
  /** Null = as many as come. */
  readonly kills: number | null;
  /** Between two kills, on average. */
  readonly everyMs: number;
  /** What is missing counts as lost when nothing was done for so long. */
  readonly patienceMs: number;
};

export const help = `Usage: npm start [-- --chaos] [options]

Starts a host on SQLite with the example of examples/orders, against an order service that does its
work and loses many of its answers, and shows what comes in, what is done and what is asked.
A host without the example: npx holdfast start

  --loss <share>       how many of the service's answers are lost (default 0.3)
  --data <folder>      data folder (default .holdfast; with --chaos .holdfast-chaos)
  --open, --no-open    whether the page is opened in a browser (default: where there is a desktop)
  --chaos              kill the host every few seconds and start it again, answer what it asks,
                       and count what the service did; ends with 1 if anything was done twice,
                       is missing, or differs from the journal
  --minutes <number>   of --chaos: for so long (default: until Ctrl-C)
  --kills <number>     of --chaos: so many of them
  --every <ms>         of --chaos: from one kill to the next, on average (default 3000)
  --patience <ms>      of --chaos: what is missing is lost when nothing was done for so long
                       at the end (default 60000)`;

/** Null = only the help is wanted. */
export function readOptions(words: readonly string[]): FirstRunOptions | null {
  const { values } = parsed(words);
  if (values.help) return null;
  const isChaos = values.chaos === true;
  const ofChaos = (["minutes", "kills", "every", "patience"] as const).find((name) => values[name]);
  if (!isChaos && ofChaos !== undefined) {
    throw new UsageError(`--${ofChaos} is for --chaos, which was not said; see --help`);
  }
  if (process.env["HOLDFAST_POSTGRES_URL"]) {
    throw new UsageError(
      "HOLDFAST_POSTGRES_URL is set, and the example runs on SQLite. Unset it, or start a host " +
        "without the example: npx holdfast start",
    );
  }
  const own = values.data ?? (process.env["HOLDFAST_DATA"] || undefined);
  const folder = resolve(own ?? (isChaos ? ".holdfast-chaos" : ".holdfast"));
  const lossShare = numberOf("loss", values.loss ?? "0.3", [0, 0.9]);
  const chaos = isChaos ? chaosOf(values) : null;
  const isShown = values.open ?? isDesktop();
  return { folder, isOwnFolder: own !== undefined || isChaos, lossShare, isShown, chaos };
}

type ChaosWords = Readonly<
  Partial<Record<"minutes" | "kills" | "every" | "patience", string | undefined>>
>;

function chaosOf({ minutes, kills, every = "3000", patience = "60000" }: ChaosWords): ChaosOptions {
  return {
    minutes: minutes === undefined ? null : numberOf("minutes", minutes, [0.05, 10_000]),
    kills: kills === undefined ? null : numberOf("kills", kills, [1, 1_000_000]),
    everyMs: numberOf("every", every, [500, 600_000]),
    patienceMs: numberOf("patience", patience, [1_000, 3_600_000]),
  };
}

function parsed(words: readonly string[]) {
  const text = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  try {
    return parseArgs({
      args: [...words],
      allowNegative: true,
      options: {
        ...{ data: text, loss: text, minutes: text, kills: text, every: text, patience: text },
        open: { type: "boolean" },
        ...{ chaos: flag, help: { ...flag, short: "h" } },
      },
    });
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${said.split(". ")[0]}; see --help`);
  }
}

function numberOf(name: string, text: string, [least, most]: readonly [number, number]): number {
  const value = Number(text);
  if (text.trim() !== "" && value >= least && value <= most) return value;
  throw new UsageError(`--${name} has to be a number from ${least} to ${most}, not ${text}`);
}
