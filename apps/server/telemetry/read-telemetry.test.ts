import { expect, test } from "vitest";
import { readTelemetry } from "./read-telemetry.ts";

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };

test("nothing is told anywhere unless somebody says where to, and says nothing against it", () => {
  expect(readTelemetry({})).toBe(null);
  expect(readTelemetry({ ...endpoint, OTEL_SDK_DISABLED: "true" })).toBe(null);
  const none = { OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none" };
  expect(readTelemetry({ ...endpoint, ...none })).toBe(null);
  expect(readTelemetry(endpoint)).toMatchObject({ traces: true, metrics: true, ratio: 1 });
  const traces = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://collector:4318/v1/traces" };
  expect(readTelemetry(traces)).toMatchObject({ traces: true, metrics: false });
});

test("a share of the runs can be told", () => {
  const sampler = (name: string, arg?: string) => {
    return readTelemetry({
      ...endpoint,
      OTEL_TRACES_SAMPLER: name,
      OTEL_TRACES_SAMPLER_ARG: arg,
    });
  };
  expect(sampler("parentbased_traceidratio", "0.25")).toMatchObject({ ratio: 0.25 });
  expect(sampler("always_off")).toMatchObject({ ratio: 0 });
  expect(sampler("traceidratio", "2")).toHaveProperty("fault");
  expect(sampler("my_sampler")).toHaveProperty("fault");
});

test.each([
  { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
  { OTEL_TRACES_EXPORTER: "zipkin" },
  { OTEL_METRIC_EXPORT_INTERVAL: "soon" },
])("what is not understood is refused at the start: %j", (said) => {
  expect(readTelemetry({ ...endpoint, ...said })).toHaveProperty("fault");
});
