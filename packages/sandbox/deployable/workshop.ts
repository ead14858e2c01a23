import { type Connections, type Hash, type HostedScript, pinPayload } from "@holdfast/core";
import { type CompiledScript, compileScript } from "../compile/compile-script.ts";
import type { ScriptSource } from "../compile/script-source.ts";
import { declarationsOf } from "../declarations.ts";
import { hostedScript } from "../hosted-script.ts";
import type { Manifest } from "../manifest/manifest.ts";
import type { LoadedScript, Sandbox } from "../sandbox.ts";
import { type Known, type Problem, validate } from "../validate/validate.ts";
import { type Deployable, packDeployable, unpackDeployable } from "./deployable.ts";

export type Packed =
  | {
      readonly ok: true;
      readonly bytes: Uint8Array;
      readonly hash: Hash;
      readonly manifest: Manifest;
      readonly declarations: ReturnType<typeof declarationsOf>;
      /** `connection.operation` that the script uses, in order. */
      readonly uses: readonly string[];
      readonly problems: readonly Problem[];
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** A deployed version, opened: what it is, and how it is run once its outside is known. */
export type Opened = {
  readonly source: ScriptSource;
  readonly manifest: Manifest;
  /** `connection.operation` that the script uses, in order. */
  readonly uses: readonly string[];
  host(connections: Connections): HostedScript;
};

/** Makes versions that can be deployed out of what authors write, and opens them again. */
export class Workshop {
  readonly #sandbox: Sandbox;
  readonly #known: Known;

  constructor(sandbox: Sandbox, known: Known) {
    this.#sandbox = sandbox;
    this.#known = known;
  }

  async pack(source: ScriptSource): Promise<Packed> {
    const inspect = (script: CompiledScript) => this.#sandbox.inspect(script);
    const { manifest, problems } = await validate(source, inspect, this.#known);
    const isFaulty = problems.some(({ severity }) => severity === "error");
    if (manifest === null || isFaulty) return { ok: false, problems };
    const compiled = await compileScript(source);
    if (!compiled.ok) return { ok: false, problems: compiled.problems };
    const { code, codeHash, map } = compiled.script;
    const deployable = { source, code, codeHash, map, manifest };
    return {
      ok: true,
      ...packDeployable(deployable),
      manifest,
      declarations: declarationsOf(manifest),
      uses: usedBy(manifest),
      problems,
    };
  }

  /** Throws what kept it from being loaded. */
  async open(bytes: Uint8Array): Promise<Opened> {
    const deployable = unpackDeployable(bytes);
    const loaded = await this.#sandbox.load(deployable.code);
    if (!loaded.ok) {
      const { code, message } = loaded.failure;
      throw new Error(`A deployed script cannot be loaded: ${code}: ${message}`);
    }
    const { source, manifest } = deployable;
    const { hash } = pinPayload(bytes).payload;
    const host = (connections: Connections) =>
      this.#host(deployable, loaded.script, { connections, hash });
    return { source, manifest, uses: usedBy(manifest), host };
  }

  #host(
    compiled: Deployable,
    script: LoadedScript,
    { connections, hash }: { readonly connections: Connections; readonly hash: Hash },
  ): HostedScript {
    const { manifest } = compiled;
    return hostedScript(this.#sandbox, script, { compiled, manifest, connections, hash });
  }
}

function usedBy(manifest: Manifest): readonly string[] {
  const { operations } = manifest;
  const used = operations.map(({ connection, operation }) => `${connection}.${operation}`);
  return [...new Set([...used, ...usedByMachines(manifest)])].sort();
}

/** Which of its connections a step asks is in what it says: it may be any of the connector. */
function usedByMachines({ machines, effects = [], connections }: Manifest): readonly string[] {
  const asked = new Set(machines.flatMap((machine) => machine.effects));
  return effects.flatMap(({ name, executor: { entrypoint } }) => {
    if (!asked.has(name)) return [];
    const [connector] = name.split("/");
    const own = connections.filter((each) => each.connector === connector);
    return own.map((connection) => `${connection.name}.${entrypoint}`);
  });
}
