import type { Store } from "@holdfast/core";
import type { Metrics } from "../metrics/metrics.ts";
import type { TelemetryOptions } from "./read-telemetry.ts";
import { SpansOfRuns } from "./spans-of-runs.ts";
import type { SpanTeller } from "./tell-spans.ts";

/** What this host tells a collector; how that goes never has a say in the work. */
export class Telemetry {
  readonly #options: TelemetryOptions;
  readonly #spans = new SpansOfRuns();
  readonly #teller: SpanTeller | null;
  readonly #complain: (line: string) => void;
  #closeMetrics: (() => Promise<void>) | null = null;

  private constructor(
    options: TelemetryOptions,
    teller: SpanTeller | null,
    complain: (line: string) => void,
  ) {
    this.#options = options;
    this.#teller = teller;
    this.#complain = complain;
  }

  /** Its libraries are loaded for whoever has asked for it, and for nobody else. */
  static async open(
    options: TelemetryOptions,
    complain: (line: string) => void,
  ): Promise<Telemetry> {
    (await import("./hear-trouble.ts")).hearTrouble(complain);
    const teller = options.traces ? (await import("./tell-spans.ts")).tellSpans(options) : null;
    return new Telemetry(options, teller, complain);
  }

  /** Sees each change once it is durable. */
  watched(store: Store): Store {
    const teller = this.#teller;
    if (teller === null) return store;
    const commit: Store["commit"] = async (changes) => {
      const answers = await store.commit(changes);
      const durable = changes.filter((_, index) => answers[index]?.kind === "committed");
      try {
        for (const change of durable)
          for (const note of this.#spans.notesOf(change)) teller.tell(note);
      } catch (error) {
        this.#complain(`telemetry: a change could not be told: ${error}`);
      }
      return answers;
    };
    return new Proxy(store, {
      get: (target, key) => {
        if (key === "commit") return commit;
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }

  async measure(metrics: Metrics): Promise<void> {
    if (!this.#options.metrics) return;
    const { tellMetrics } = await import("./tell-metrics.ts");
    this.#closeMetrics = await tellMetrics(metrics, this.#options);
  }

  /** What is left is sent, if anybody takes it. */
  async close(): Promise<void> {
    const closing = [this.#teller?.close(), this.#closeMetrics?.()];
    for (const each of await Promise.allSettled(closing)) {
      if (each.status === "rejected") this.#complain(`telemetry: ${each.reason}`);
    }
  }
}
