import type { Hash, HostedMachines } from "@holdfast/core";
import {
  type ChainAnswer,
  compileSet,
  type MigrationCall,
  type StepAnswer,
  type StepChain,
} from "@holdfast/core/machine";
import type { Manifest } from "./manifest/manifest.ts";
import type { LoadedScript, Sandbox } from "./sandbox.ts";
import { noteVersion, SandboxJournal } from "./steps/journal-thread.ts";
import { encodeMigrations } from "./steps/migrations.ts";
import { decodeAnswers, encodeChains } from "./steps/step-messages.ts";

type Version = {
  readonly manifest: Manifest;
  /** Of the whole version: what the machines' journal names it by. */
  readonly hash: Hash;
};

/** A step that its clock has ended. */
const stopped: readonly ChainAnswer[] = [
  { answer: { kind: "killed", reason: "SCRIPT_RUNNING_TIME" }, left: null },
];

/** The machines of a loaded script; null = it has none. Throws for a set that cannot be run. */
export function hostedMachines(
  sandbox: Sandbox,
  script: LoadedScript,
  { manifest, hash }: Version,
): HostedMachines | null {
  if (manifest.machines.length === 0) return null;
  const declared = {
    workflow: manifest.name,
    manifestHash: hash,
    moduleVersion: script.codeHash,
    topics: manifest.topics,
    machines: manifest.machines,
    effects: manifest.effects ?? [],
  };
  const compiled = compileSet(declared);
  if (!compiled.ok) {
    const [problem] = compiled.problems;
    throw new Error(`Its machines cannot be run: ${problem?.at}: ${problem?.note}`);
  }
  const sent = { hash: `${hash} ${script.codeHash}`, text: JSON.stringify(declared) };
  const ask = async (chains: readonly StepChain[], isAgain: boolean) => {
    const calls = encodeChains(hash, chains);
    const answers = await sandbox.runSteps(script, { machines: sent, calls, isAgain });
    return answers === null ? null : decodeAnswers(answers);
  };
  /** If one of them takes the thread with it, each first one is tried alone to see which it is. */
  const run: HostedMachines["run"] = async (chains, { isAgain } = { isAgain: false }) => {
    const together = await ask(chains, isAgain);
    if (together !== null) return together;
    if (chains.length === 1 && chains[0]?.length === 1) return [stopped];
    const apart: (readonly ChainAnswer[])[] = [];
    for (const chain of chains) {
      const [answer = stopped] = (await ask([chain.slice(0, 1)], isAgain)) ?? [];
      apart.push(answer);
    }
    return apart;
  };
  const machines: HostedMachines = {
    set: compiled.set,
    run,
    migrate: migrations(sandbox, script, manifest),
    runJournal: (limits) => new SandboxJournal(sandbox, limits),
  };
  noteVersion(machines, sandbox, { script, sent });
  return machines;
}

/** Calls of one message: its clock is for all of them. */
const migrationsAtOnce = 32;

/** As with steps: where several take the thread with them, each is tried alone. */
function migrations(sandbox: Sandbox, script: LoadedScript, { name, machines }: Manifest) {
  const handlers = new Map(
    machines.map((each) => [`${name}/${each.name}@${each.version}`, each.name]),
  );
  const ask = async (calls: readonly MigrationCall[]): Promise<readonly StepAnswer[]> => {
    const given = encodeMigrations(calls, handlers);
    const answers = await sandbox.runSteps(script, {
      machines: null,
      calls: given,
      isAgain: false,
    });
    if (answers !== null) return decodeAnswers(answers).flatMap(([first]) => first?.answer ?? []);
    if (calls.length <= 1) return stopped.map(({ answer }) => answer);
    const apart: StepAnswer[] = [];
    for (const call of calls) apart.push(...(await ask([call])));
    return apart;
  };
  return async (calls: readonly MigrationCall[]) => {
    const answers: StepAnswer[] = [];
    for (let at = 0; at < calls.length; at += migrationsAtOnce) {
      answers.push(...(await ask(calls.slice(at, at + migrationsAtOnce))));
    }
    return answers;
  };
}
