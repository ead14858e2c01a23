import type { ActivateVersion, Connections, HostedScript, OperationKind } from "@holdfast/core";
import { grantsForAll } from "@holdfast/host/testing";
import {
  type Known,
  type Manifest,
  type Problem,
  Sandbox,
  type ScriptSource,
  Workshop,
} from "@holdfast/sandbox";
import { effectsFrom } from "./machine-effects.ts";
import type { ScriptedOutside } from "./scripted-outside.ts";
import { TestError } from "./test-error.ts";

export type DeployableScript = {
  readonly name: string;
  readonly hosted: HostedScript;
  readonly version: Pick<
    ActivateVersion,
    "scriptHash" | "script" | "topics" | "handlers" | "connections" | "machines" | "grants"
  >;
  readonly warnings: readonly Problem[];
};

let shared: Promise<Sandbox> | null = null;

/** One for all tests of a process; its threads do not keep the process alive. */
function openSandbox(): Promise<Sandbox> {
  shared ??= Sandbox.open({ threadsMax: 2 });
  return shared;
}

/** Packs and opens a script as a deployment does, or says everything that is wrong. */
export async function makeDeployable(
  source: ScriptSource,
  { kinds: connections, connections: scripted }: Pick<ScriptedOutside, "kinds" | "connections">,
): Promise<DeployableScript> {
  // First without knowing any operations: which connector has them is said by the script itself.
  const { manifest } = await pack(source, {});
  refuseUnscripted(manifest, connections);
  const effects = effectsFrom(scripted, manifest.connections);
  const packed = await pack(source, { ...knownFrom(manifest, connections), effects });
  const { hash: scriptHash, bytes: script, declarations, problems: warnings } = packed;
  const opened = await new Workshop(await openSandbox(), {}).open(script);
  const hosted = opened.host(connections);
  const { name } = manifest;
  // What an operator would grant is not what is tested here.
  const grants = grantsForAll(connections);
  return { name, hosted, version: { scriptHash, script, grants, ...declarations }, warnings };
}

async function pack(source: ScriptSource, known: Known) {
  const packed = await new Workshop(await openSandbox(), known).pack(source);
  if (!packed.ok) throw problemsError(source, packed.problems);
  return packed;
}

function problemsError({ entry }: ScriptSource, problems: readonly Problem[]): TestError {
  const errors = problems.filter(({ severity }) => severity === "error");
  const lines = errors.map(
    ({ file, line, column, code, cause, hint, docs }) =>
      `${file}:${line}:${column}  ${code}\n    ${cause}\n    ${hint}\n    See ${docs}`,
  );
  const text = [`${entry} cannot be deployed:`, ...lines].join("\n  ");
  return new TestError("script_problems", text);
}

function refuseUnscripted({ operations }: Manifest, connections: Connections): void {
  const missing = operations.filter(({ connection, operation }) => {
    const scripted = connections[connection];
    return scripted === undefined || !Object.hasOwn(scripted, operation);
  });
  if (missing.length === 0) return;
  const lines = missing.map(
    ({ connection, operation, handler, phase, file, line }) =>
      `${connection}.${operation}, used in ${phase} of ${handler} (${file}:${line})`,
  );
  const text = ["the script uses operations that connections does not script:", ...lines];
  throw new TestError("operations_not_scripted", text.join("\n  "));
}

/** Kinds of operations by connector, where no two connections of it contradict each other. */
function knownFrom(manifest: Manifest, connections: Connections): Known {
  const connectors = new Map<string, Map<string, OperationKind | null>>();
  const named = new Map(manifest.connections.map(({ name, connector }) => [name, connector]));
  for (const [connection, operations] of Object.entries(connections)) {
    const connector = named.get(connection) ?? connection;
    const kinds = connectors.get(connector) ?? new Map<string, OperationKind | null>();
    connectors.set(connector, kinds);
    for (const [name, kind] of Object.entries(operations)) {
      kinds.set(name, kinds.has(name) && kinds.get(name) !== kind ? null : kind);
    }
  }
  const sure = [...connectors].filter(([, kinds]) => ![...kinds.values()].includes(null));
  return {
    connectors: Object.fromEntries(
      sure.map(([name, kinds]) => [
        name,
        Object.fromEntries(kinds) as Record<string, OperationKind>,
      ]),
    ),
    connections: Object.fromEntries(
      Object.keys(connections)
        .filter((name) => !named.has(name))
        .map((name) => [name, name]),
    ),
  };
}
