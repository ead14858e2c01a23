import type {
  Connections,
  Hash,
  HostedHandler,
  HostedScript,
  PhaseCall,
  PhaseOutcome,
  RunOptions,
} from "@holdfast/core";
import { Cron } from "croner";
import type { CompiledScript } from "./compile/compile-script.ts";
import { originalPosition } from "./compile/original-position.ts";
import { hostedMachines } from "./hosted-machines.ts";
import type { Manifest, Start } from "./manifest/manifest.ts";
import type { SecretFields } from "./run/trace.ts";
import type { LoadedScript, Sandbox } from "./sandbox.ts";

export type HostedParts = {
  readonly compiled: CompiledScript;
  readonly manifest: Manifest;
  readonly connections: Connections;
  /** By "<connection>.<operation>": what must not be in a trace; absent = nothing is secret. */
  readonly secretsOf?: (name: string) => SecretFields;
  /** Of the whole version as it was deployed; absent = of its code. */
  readonly hash?: Hash;
};

/** A loaded script as the host runs it: its handlers by name, with their schedules. */
export function hostedScript(
  sandbox: Sandbox,
  script: LoadedScript,
  { compiled, manifest, connections, secretsOf, hash = compiled.codeHash }: HostedParts,
): HostedScript {
  const machines = hostedMachines(sandbox, script, { manifest, hash });
  const hiding = secretsOf === undefined ? {} : { secretsOf };
  return {
    handlers: new Map(handlersOf(manifest).map((handler) => [handler.name, handler])),
    connections,
    ...(machines === null ? {} : { machines }),
    run: async (call: PhaseCall, options: RunOptions) =>
      inAuthorsLines(compiled, await sandbox.run(script, call, { ...options, ...hiding })),
    runConsumer: async (calls, options) => {
      const { prepare, mutate } = await sandbox.runConsumer(script, calls, {
        ...options,
        ...hiding,
      });
      return {
        prepare: inAuthorsLines(compiled, prepare),
        mutate: mutate === null ? null : inAuthorsLines(compiled, mutate),
      };
    },
  };
}

/** Where a script failed, in the file its author wrote. */
function inAuthorsLines(compiled: CompiledScript, outcome: PhaseOutcome): PhaseOutcome {
  const { result } = outcome;
  if (result.kind !== "failed" || result.failure.position === null) return outcome;
  const { failure } = result;
  const { line, column } = result.failure.position;
  const place = originalPosition(compiled, line, column);
  if (place === null) return outcome;
  const message = `${failure.message} (${place.file}:${place.line}:${place.column})`;
  return { ...outcome, result: { kind: "failed", failure: { ...failure, message } } };
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

/** An interval is a grid that its firings stand on: a late run does not move it. */
function scheduleOf(start: Start): HostedHandler["nextRunAt"] {
  if (start.kind === "interval") {
    const { everyMs } = start;
    return (after, firing) => firing + (Math.floor((after - firing) / everyMs) + 1) * everyMs;
  }
  if (start.kind !== "cron") return () => null;
  const cron = new Cron(start.cron, { paused: true, timezone: start.timeZone ?? "UTC" });
  return (after) => cron.nextRun(new Date(after))?.getTime() ?? null;
}
