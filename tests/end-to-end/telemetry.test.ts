import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { HostProcess, newFolder, writeAccounts } from "./host-process.ts";
import { OrderShop } from "./order-shop.ts";
import { places } from "./stores.ts";
import { deployOrders, publishOrder } from "./story.ts";

type Value = { readonly stringValue?: string; readonly intValue?: number | string };
type Attribute = { readonly key: string; readonly value: Value };
type Span = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly Attribute[];
  readonly links?: readonly { readonly spanId: string }[];
  readonly status: { readonly code?: number; readonly message?: string };
};

/** Takes what a collector takes, as OTLP over HTTP with JSON. */
class Collector {
  readonly spans: Span[] = [];
  readonly metrics = new Set<string>();
  readonly services = new Set<string | undefined>();
  readonly texts: string[] = [];
  url = "";

  async start(): Promise<void> {
    const server = createServer(async (request, response) => {
      const body = await json(request);
      this.texts.push(JSON.stringify(body));
      this.#read(body as never);
      response.setHeader("content-type", "application/json").end("{}");
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  #read({ resourceSpans = [], resourceMetrics = [] }: Told): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      this.services.add(named(resource.attributes, "service.name"));
      this.spans.push(...scopeSpans.flatMap(({ spans }) => spans));
    }
    for (const { scopeMetrics } of resourceMetrics) {
      const names = scopeMetrics.flatMap(({ metrics }) => metrics.map(({ name }) => name));
      for (const name of names) this.metrics.add(name);
    }
  }
}

type Told = {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
  readonly resourceMetrics?: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly { readonly name: string }[] }[];
  }[];
};

function named(attributes: readonly Attribute[], key: string): string | undefined {
  return attributes.find((each) => each.key === key)?.value.stringValue;
}

test("a collector is told of runs, phases, calls and waits, and of no payload", async () => {
  const collector = new Collector();
  await collector.start();
  const shop = await OrderShop.start();
  onTestFinished(() => shop.stop());
  const folder = newFolder();
  const host = new HostProcess({
    store: await places.SQLite(),
    accountsFile: writeAccounts(folder, shop.url),
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_SERVICE_NAME: "orders-host",
      OTEL_BSP_SCHEDULE_DELAY: "50",
    },
  });
  onTestFinished(() => host.kill("SIGKILL"));
  await deployOrders(host, [], ["shop.post"]);
  await publishOrder(host, "o-77", { sum: 4_711 });
  const open = () => host.api<{ items: readonly { attentionId: string }[] }>("GET", "/attention");
  await expect.poll(async () => (await open()).items.length, { timeout: 60_000 }).toBe(1);
  const [question] = (await open()).items;
  const approved = await host.holdfast("approve", "orders", question?.attentionId ?? "");
  expect(approved.code).toBe(0);
  await expect.poll(() => shop.counts.get("o-77"), { timeout: 60_000 }).toBe(1);
  await expect
    .poll(
      () =>
        collector.spans.some((span) => named(span.attributes, "holdfast.status") === "committed"),
      { timeout: 60_000 },
    )
    .toBe(true);
  await host.stop();

  const kindOf = (span: Span) => named(span.attributes, "holdfast.kind");
  const { traceId, spanId: firstId } = first(collector.spans, (span) => {
    return named(span.attributes, "holdfast.status") === "paused:approval";
  });
  const ofRun = collector.spans.filter((span) => span.traceId === traceId);
  const last = first(ofRun, (span) => named(span.attributes, "holdfast.status") === "committed");
  expect([last.parentSpanId, last.links?.[0]?.spanId]).toEqual([firstId, firstId]);
  const attempt = first(ofRun, (span) => kindOf(span) === "attempt");
  expect([attempt.name, attempt.parentSpanId]).toEqual(["shop.post", last.spanId]);
  const prepare = first(ofRun, (span) => span.name === "prepare");
  expect([kindOf(prepare), prepare.parentSpanId]).toEqual(["phase", firstId]);
  const peek = first(ofRun, (span) => span.name === "ctx.peek");
  expect([kindOf(peek), peek.parentSpanId]).toEqual(["operation", prepare.spanId]);
  expect(new Set(ofRun.map(({ spanId }) => spanId)).size).toBe(ofRun.length);
  expect([...collector.services]).toEqual(["orders-host"]);
  expect([...collector.metrics]).toEqual(
    expect.arrayContaining(["holdfast_facts_total", "holdfast_open_questions"]),
  );
  expect(collector.texts.join("")).not.toMatch(/4711|o-77/);
});

function first(spans: readonly Span[], is: (span: Span) => boolean): Span {
  const found = spans.find(is);
  if (found === undefined) throw new Error(`not among ${spans.map(({ name }) => name).join(", ")}`);
  return found;
}
