import { type Link, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  BatchSpanProcessor,
  type IdGenerator,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { TelemetryOptions } from "./read-telemetry.ts";
import { resourceOfHost } from "./resource.ts";
import type { SpanId, SpanNote } from "./span-note.ts";

export type SpanTeller = { tell(note: SpanNote): void; close(): Promise<void> };

/** The library asks for an id when a span starts; it gets the one of the note. */
class NotedIds implements IdGenerator {
  next: SpanId = { traceId: "", spanId: "" };

  generateTraceId(): string {
    return this.next.traceId;
  }

  generateSpanId(): string {
    return this.next.spanId;
  }
}

export function tellSpans({ ratio, spanDelayMs }: TelemetryOptions): SpanTeller {
  const idGenerator = new NotedIds();
  const exporter = new OTLPTraceExporter();
  const processor = new BatchSpanProcessor({ exporter, scheduledDelayMillis: spanDelayMs });
  const provider = new TracerProvider({
    resource: resourceOfHost(),
    idGenerator,
    sampler: new TraceIdRatioBasedSampler(ratio),
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer("holdfast");
  const tell = ({ id, parent, follows, name, kind, from, until, attributes, fault }: SpanNote) => {
    idGenerator.next = id;
    const links: Link[] = follows === null ? [] : [{ context: contextOf(follows) }];
    const spanKind = kind === "attempt" ? SpanKind.CLIENT : SpanKind.INTERNAL;
    const given = { "holdfast.kind": kind, ...attributes };
    const within =
      parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, contextOf(parent));
    const asked = { startTime: from, kind: spanKind, attributes: given, links };
    const span = tracer.startSpan(name, asked, within);
    if (fault !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: fault });
    span.end(until);
  };
  return { tell, close: () => provider.shutdown() };
}

function contextOf({ traceId, spanId }: SpanId) {
  return { traceId, spanId, traceFlags: 1, isRemote: true };
}
