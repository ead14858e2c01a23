export type TelemetryOptions = {
  readonly traces: boolean;
  readonly metrics: boolean;
  /** Of the traces, by their ids: every host tells the same ones. */
  readonly ratio: number;
  readonly spanDelayMs: number;
  readonly metricsEveryMs: number;
};

type Variables = Readonly<Record<string, string | undefined>>;

const samplers: Readonly<Record<string, (arg: string | undefined) => number>> = {
  always_on: () => 1,
  always_off: () => 0,
  traceidratio: (arg) => Number(arg ?? "1"),
};

/**
 * The standard variables of OpenTelemetry; where to and with which headers is read by the
 * exporters themselves. Null = nobody has asked for any of it.
 */
export function readTelemetry(variables: Variables): TelemetryOptions | null | { fault: string } {
  if (variables["OTEL_SDK_DISABLED"]?.toLowerCase() === "true") return null;
  const traces = isAskedFor(variables, "TRACES");
  const metrics = isAskedFor(variables, "METRICS");
  const fault =
    [traces, metrics].find((each) => typeof each === "string") ?? protocolFault(variables);
  if (typeof fault === "string") return { fault };
  if (traces !== true && metrics !== true) return null;
  const named = variables["OTEL_TRACES_SAMPLER"] ?? "always_on";
  const ratio = samplers[named.replace(/^parentbased_/, "")]?.(
    variables["OTEL_TRACES_SAMPLER_ARG"],
  );
  if (ratio === undefined || !(ratio >= 0 && ratio <= 1)) {
    return { fault: `OTEL_TRACES_SAMPLER: ${named} with this argument is not known` };
  }
  const spanDelayMs = Number(variables["OTEL_BSP_SCHEDULE_DELAY"] ?? "5000");
  const metricsEveryMs = Number(variables["OTEL_METRIC_EXPORT_INTERVAL"] ?? "60000");
  if (!(spanDelayMs >= 0) || !(metricsEveryMs > 0)) {
    return { fault: "OTEL_BSP_SCHEDULE_DELAY and OTEL_METRIC_EXPORT_INTERVAL are milliseconds" };
  }
  return { traces: traces === true, metrics: metrics === true, ratio, spanDelayMs, metricsEveryMs };
}

function isAskedFor(variables: Variables, what: "TRACES" | "METRICS"): boolean | string {
  const name = `OTEL_${what}_EXPORTER`;
  const said = variables[name];
  if (said !== undefined && said !== "otlp" && said !== "none") {
    return `${name}: ${said} is not one of otlp and none`;
  }
  const endpoints = ["OTEL_EXPORTER_OTLP_ENDPOINT", `OTEL_EXPORTER_OTLP_${what}_ENDPOINT`];
  return said === undefined ? endpoints.some((each) => variables[each]) : said === "otlp";
}

function protocolFault(variables: Variables): string | null {
  const said = variables["OTEL_EXPORTER_OTLP_PROTOCOL"];
  if (said === undefined || said.startsWith("http/")) return null;
  return `OTEL_EXPORTER_OTLP_PROTOCOL: ${said} is not spoken here; use http/json`;
}
