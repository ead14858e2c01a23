import { encodeCanonical } from "@holdfast/core";
import type { PostgresStore } from "@holdfast/store/postgres";
import { withConnection } from "@holdfast/store/testing/postgres";
import type { BenchContext, Measured } from "../../harness/bench.ts";
import { type Contender, type Lap, lap, runRounds } from "../../harness/rounds.ts";
import { BenchWorkflow } from "../bench-workflow.ts";
import { inLoops } from "../in-loops.ts";
import { bareInserts, bareMetrics } from "./bare-statements.ts";
import { type BenchServer, openBenchPostgres } from "./bench-server.ts";
import { measureCalls } from "./call-cost.ts";

const manyAtOnce = 64;
const appendsPerTurn = 2 * manyAtOnce;

const metrics = {
  single: "commands appended, one by one",
  many: "commands appended, 64 at once",
  manyToOne: "commands appended, 64 at once to one workflow",
} as const;

/** Loading what a decision begins with, and taking commands in. */
export async function measurePostgresCalls(
  context: BenchContext,
  server: BenchServer,
): Promise<readonly Measured[]> {
  const url = await server.openDatabase();
  const store = await openBenchPostgres(url);
  try {
    const names = Array.from({ length: manyAtOnce }, (_, index) => `workflow-${index}`);
    const made = await Promise.all(names.map((name) => BenchWorkflow.create(store, name)));
    await made[0]?.sendMutation();
    const [sending = "", idle = ""] = names;
    return [
      ...(await measureCalls(context, url, {
        "load of the base, idle": () => store.load(idle, [{ kind: "base" }]),
        "load of the base, with a mutation on the wire": () =>
          store.load(sending, [{ kind: "base" }]),
      })),
      ...(await measureAppends(context, { store, url, names })),
    ];
  } finally {
    await store.close();
  }
}

type Inboxes = {
  readonly store: PostgresStore;
  readonly url: string;
  readonly names: readonly string[];
};

async function measureAppends(
  { quick, progress }: BenchContext,
  { store, url, names }: Inboxes,
): Promise<readonly Measured[]> {
  const [first = ""] = names;
  const appends = new Appends(store);
  const contender = (metric: string, atOnce: number, to: readonly string[]): Contender => {
    const measure = () => appends.append(atOnce, to);
    return { metric, unit: "commands/s", figure: "per second", measure };
  };
  return withConnection(url, async (client) => {
    const contenders = [
      contender(metrics.single, 1, names),
      contender(metrics.many, manyAtOnce, names),
      contender(metrics.manyToOne, manyAtOnce, [first]),
      await bareInserts(client),
    ];
    const plan = { warmUpCount: 1, roundCount: quick ? 5 : 15, turnCount: 2 };
    const rounds = await runRounds(contenders, plan);
    progress("commands appended");
    return [
      rounds.resultAgainst(metrics.single, bareMetrics.insert),
      rounds.resultAgainst(metrics.many, metrics.single),
      rounds.resultAgainst(metrics.manyToOne, metrics.single),
    ];
  });
}

class Appends {
  readonly #store: PostgresStore;
  #count = 0;

  constructor(store: PostgresStore) {
    this.#store = store;
  }

  /** Workflows are taken in turn. */
  append(atOnce: number, workflows: readonly string[]): Promise<Lap> {
    const rest = { actor: "bench", kind: "pause_workflow", body: encodeCanonical({}), at: 0 };
    const commands = Array.from({ length: appendsPerTurn }, (_, index) => {
      const workflow = workflows[index % workflows.length] ?? "";
      this.#count += 1;
      return { ...rest, workflow, commandId: `command-${this.#count}` };
    });
    return lap(commands.length, () =>
      inLoops(commands, atOnce, async (command) => {
        await this.#store.appendCommand(command);
      }),
    );
  }
}
