import { afterAll, beforeAll } from "vitest";
import type { PhaseOutcome } from "../run/phase-run.ts";
import { type LoadedScript, Sandbox, type SandboxOptions } from "../sandbox.ts";
import { answering, scriptOf, somePhase } from "./phases.ts";

export { answering, scriptOf, somePhase };

/** One for all tests of a file: threads take longer to start than most scripts to run. */
export function sandboxInTests(options: SandboxOptions = {}): () => Sandbox {
  let sandbox: Sandbox | undefined;
  beforeAll(async () => {
    sandbox = await Sandbox.open({ threadsMax: 2, ...options });
  });
  afterAll(() => sandbox?.close());
  return () => {
    if (sandbox === undefined) throw new Error("The sandbox is there when tests run.");
    return sandbox;
  };
}

export async function loadScript(sandbox: Sandbox, definition: string): Promise<LoadedScript> {
  const loaded = await sandbox.load(scriptOf(definition));
  if (!loaded.ok) throw new Error(`${loaded.failure.code}: ${loaded.failure.message}`);
  return loaded.script;
}

/** What became of a phase, in one line. */
export function verdictOf({ result }: PhaseOutcome): string {
  if (result.kind === "failed") return result.failure.code;
  if (result.kind === "returned") return `returned ${result.value}`;
  if (result.kind === "mutation") return `mutation ${result.call.operation}`;
  return `stopped ${String(result.reason)}`;
}

export function messageOf({ result }: PhaseOutcome): string {
  return result.kind === "failed" ? result.failure.message : "";
}
