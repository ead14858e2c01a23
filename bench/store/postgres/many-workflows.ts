import { encodeCanonical, type Instant } from "@holdfast/core";
import type { PostgresStore } from "@holdfast/store/postgres";
import type { BenchContext, Measured } from "../../harness/bench.ts";
import { BenchWorkflow } from "../bench-workflow.ts";
import { inLoops } from "../in-loops.ts";
import { type BenchServer, openBenchPostgres } from "./bench-server.ts";
import { measureClaims } from "./claim-cost.ts";
import { measureIdle } from "./idle-cost.ts";

const workflowCount = 10_000;
const workflowCountQuick = 1_000;
const atOnce = 64;

/** Many workflows in one store, first with nothing to do, then all of them with something. */
export async function measureManyWorkflows(
  context: BenchContext,
  server: BenchServer,
): Promise<readonly Measured[]> {
  const url = await server.openDatabase();
  const store = await openBenchPostgres(url);
  try {
    const count = context.quick ? workflowCountQuick : workflowCount;
    const many = new ManyWorkflows(store, url, context.progress);
    await many.make(count);
    return [...(await measureIdle(context, many)), ...(await measureClaims(context, many))];
  } finally {
    await store.close();
  }
}

export class ManyWorkflows {
  readonly store: PostgresStore;
  readonly url: string;
  readonly #progress: (text: string) => void;
  #workflows: readonly BenchWorkflow[] = [];

  constructor(store: PostgresStore, url: string, progress: (text: string) => void) {
    this.store = store;
    this.url = url;
    this.#progress = progress;
  }

  /** As people say it. */
  get count(): string {
    return this.#workflows.length.toLocaleString("en-US");
  }

  async make(count: number): Promise<void> {
    const numbers = Array.from({ length: count }, (_, index) => index);
    const made: BenchWorkflow[] = [];
    await inLoops(numbers, atOnce, async (no) => {
      made.push(await BenchWorkflow.create(this.store, `workflow-${no}`));
    });
    this.#workflows = made;
    this.#progress(`${this.count} workflows made`);
  }

  /** `everyNth`: only so many of them. */
  async sleepUntil(at: Instant, everyNth = 1): Promise<void> {
    const some = this.#workflows.filter((_, index) => index % everyNth === 0);
    await inLoops(some, atOnce, (workflow) => workflow.sleepUntil(at));
    this.#progress(`${some.length.toLocaleString("en-US")} workflows put to sleep`);
  }

  async appendToAll(): Promise<void> {
    const body = encodeCanonical({});
    const rest = { actor: "bench", kind: "pause_workflow", body, at: Date.now() };
    await inLoops(this.#workflows, atOnce, async ({ owner: { workflow } }) => {
      await this.store.appendCommand({ ...rest, workflow, commandId: "pause" });
    });
    this.#progress(`a command appended to each of ${this.count}`);
  }
}
