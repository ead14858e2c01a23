import type { FactKind, Store } from "@holdfast/core";
import type { WedgeCount } from "./wedge-count.ts";

/** Of more than these it is only known that there are more. */
const questionsCountedMax = 100;

export type MetricsParts = {
  readonly store: Pick<Store, "census" | "listAttentions">;
  readonly openStreams: () => number;
  readonly wedges: Pick<WedgeCount, "count">;
};

type Metric = {
  readonly name: string;
  readonly kind: "counter" | "gauge";
  readonly help: string;
  readonly values: readonly {
    readonly labels?: Readonly<Record<string, string>>;
    readonly value: number;
  }[];
};

/** What this process has done since its start, and how the store is now, in Prometheus' words. */
export class Metrics {
  readonly #parts: MetricsParts;
  readonly #facts = new Map<FactKind, number>();
  #commitCount = 0;

  constructor(parts: MetricsParts) {
    this.#parts = parts;
  }

  committed(facts: readonly FactKind[]): void {
    this.#commitCount += 1;
    for (const kind of facts) this.#facts.set(kind, (this.#facts.get(kind) ?? 0) + 1);
  }

  async all(): Promise<readonly Metric[]> {
    return [...this.#ofProcess(), ...(await this.#ofStore())];
  }

  async text(): Promise<string> {
    return (await this.all()).map(textOf).join("");
  }

  #ofProcess(): readonly Metric[] {
    const facts = [...this.#facts].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return [
      {
        name: "holdfast_facts_total",
        kind: "counter",
        help: "Facts this host has recorded since its start, by kind.",
        values: facts.map(([kind, value]) => ({ labels: { kind }, value })),
      },
      one("holdfast_commits_total", "Changes this host has made durable.", this.#commitCount, {
        kind: "counter",
      }),
      one("holdfast_live_streams", "Open live streams.", this.#parts.openStreams()),
      one("process_resident_memory_bytes", "Resident memory.", process.memoryUsage.rss()),
      one("process_start_time_seconds", "Start of the process.", performance.timeOrigin / 1_000),
    ];
  }

  /** A store that is away is told as that: what is not known is left out, and never 0. */
  async #ofStore(): Promise<readonly Metric[]> {
    const up = (value: 0 | 1) => one("holdfast_store_up", "Whether the store answers.", value);
    const { store, wedges } = this.#parts;
    const query = { workflow: null, isOpen: true, after: null, limit: questionsCountedMax };
    const [census, questions, wedged] = await Promise.allSettled([
      store.census(),
      store.listAttentions(query),
      wedges.count(),
    ]);
    if (census.status === "rejected" || questions.status === "rejected") return [up(0)];
    if (wedged.status === "rejected") return [up(0)];
    const { hosts, owned, waiting } = census.value;
    const help = `Open questions, counted up to ${questionsCountedMax}.`;
    return [
      up(1),
      one("holdfast_hosts", "Hosts of this store that are alive.", hosts),
      one("holdfast_workflows_owned", "Workflows that a living host works for now.", owned),
      one("holdfast_workflows_waiting", "Workflows with work that nobody has taken.", waiting),
      one("holdfast_open_questions", help, questions.value.length),
      one("holdfast_wedges", "What no rule explains; counted once a minute.", wedged.value),
    ];
  }
}

function one(
  name: string,
  help: string,
  value: number,
  { kind = "gauge" }: Partial<Pick<Metric, "kind">> = {},
): Metric {
  return { name, kind, help, values: [{ value }] };
}

function textOf({ name, kind, help, values }: Metric): string {
  const lines = values.map(({ labels, value }) => `${name}${labelText(labels)} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${lines.join("")}`;
}

function labelText(labels: Readonly<Record<string, string>> = {}): string {
  const each = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  return each.length === 0 ? "" : `{${each.join()}}`;
}
