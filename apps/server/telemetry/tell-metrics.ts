import type { Observable } from "@opentelemetry/api";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import type { Metrics } from "../metrics/metrics.ts";
import type { TelemetryOptions } from "./read-telemetry.ts";
import { resourceOfHost } from "./resource.ts";

/** The same as `/metrics`, looked at whenever they are to be sent. */
export async function tellMetrics(
  metrics: Metrics,
  { metricsEveryMs }: TelemetryOptions,
): Promise<() => Promise<void>> {
  const exporter = new OTLPMetricExporter();
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: metricsEveryMs,
    exportTimeoutMillis: Math.min(metricsEveryMs, 30_000),
  });
  const provider = new MeterProvider({ resource: resourceOfHost(), readers: [reader] });
  const meter = provider.getMeter("holdfast");
  const told = new Map<string, Observable>();
  for (const { name, kind, help } of await metrics.all()) {
    const asked = { description: help };
    const isCounter = kind === "counter";
    const instrument = isCounter
      ? meter.createObservableCounter(name, asked)
      : meter.createObservableGauge(name, asked);
    told.set(name, instrument);
  }
  meter.addBatchObservableCallback(
    async (result) => {
      for (const { name, values } of await metrics.all()) {
        const instrument = told.get(name);
        if (instrument === undefined) continue;
        for (const { labels = {}, value } of values) result.observe(instrument, value, labels);
      }
    },
    [...told.values()],
  );
  return () => provider.shutdown();
}
