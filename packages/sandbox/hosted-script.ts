import type {
  Connections,
  HostedHandler,
  HostedScript,
  Instant,
  PhaseCall,
  RunOptions,
} from "@holdfast/core";
import { Cron } from "croner";
import type { Manifest, Start } from "./manifest/manifest.ts";
import type { LoadedScript, Sandbox } from "./sandbox.ts";

/** A loaded script as the host runs it: its handlers by name, with their schedules. */
export function hostedScript(
  sandbox: Sandbox,
  script: LoadedScript,
  { manifest, connections }: { readonly manifest: Manifest; readonly connections: Connections },
): HostedScript {
  return {
    handlers: new Map(handlersOf(manifest).map((handler) => [handler.name, handler])),
    connections,
    run: (call: PhaseCall, options: RunOptions) => sandbox.run(script, call, options),
    runConsumer: (calls, options) => sandbox.runConsumer(script, calls, options),
  };
}

function handlersOf(manifest: Manifest): readonly HostedHandler[] {
  const allTopics = manifest.topics.map(({ name }) => name);
  const common = { hasMutate: false, hasNext: false, mutateReads: "none", subscribe: [] } as const;
  return [
    ...manifest.producers.map(
      ({ name, start, publishes }): HostedHandler => ({
        ...common,
        name,
        kind: "producer",
        publishes: publishes ?? allTopics,
        nextRunAt: scheduleOf(start),
      }),
    ),
    ...manifest.consumers.map(
      ({ name, subscribe, publishes, mutate, next, mutateReads }): HostedHandler => ({
        name,
        kind: "consumer",
        subscribe,
        publishes: publishes ?? allTopics,
        hasMutate: mutate,
        hasNext: next,
        mutateReads,
        nextRunAt: () => null,
      }),
    ),
    ...manifest.jobs.map(
      ({ name, start, publishes }): HostedHandler => ({
        ...common,
        name,
        kind: "job",
        subscribe: start.kind === "topics" ? start.subscribe : [],
        publishes: publishes ?? allTopics,
        nextRunAt: scheduleOf(start),
      }),
    ),
  ];
}

function scheduleOf(start: Start): (after: Instant) => Instant | null {
  if (start.kind === "interval") return (after) => after + start.everyMs;
  if (start.kind !== "cron") return () => null;
  const cron = new Cron(start.cron, { paused: true, timezone: start.timeZone ?? "UTC" });
  return (after) => cron.nextRun(new Date(after))?.getTime() ?? null;
}
