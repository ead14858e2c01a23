/** Journals that are run again in this thread, each with a kernel of its own. */
import { createPublicKey, type KeyObject, verify } from "node:crypto";
import {
  type JournalAnswer,
  type JournalAsk,
  JournalRunner,
  type MachineLimits,
  type PublicKey,
  PublicKeys,
  type StepCall,
  StepEnded,
} from "@holdfast/core/machine";
import type { PhaseCall, PhaseResult } from "../run/phase.ts";
import type { ScriptImage } from "../run/slice.ts";
import { type KeptSet, runStep, type SentSet, setOf } from "./run-chains.ts";

export type JournalRequest = {
  readonly kind: "journal";
  /** Of all that the process has asked for, so that no two journals are taken for one. */
  readonly journal: number;
  /** Counted for each journal: one that comes twice is answered twice and done once. */
  readonly number: number;
  readonly limits: Partial<MachineLimits>;
  /** Versions that were not named before. */
  readonly versions: readonly SentVersion[];
  readonly keys: readonly PublicKey[];
  readonly ask: JournalAsk | null; // null = it is not needed any more
};

export type SentVersion = { readonly script: ScriptImage; readonly machines: SentSet };

/** A step was ended by its clock, which says nothing about the journal. */
export type JournalResult = JournalAnswer | { readonly kind: "ended" };

/** Starts one phase in the isolate of a script. */
type Start = (script: ScriptImage, call: PhaseCall) => PhaseResult;

type Version = { readonly own: KeptSet; readonly script: ScriptImage };

class Journal {
  readonly #keys = new PublicKeys<KeyObject>({
    open: (key) => createPublicKey({ key: Buffer.from(key), format: "der", type: "spki" }),
    verify: (statement, key, signature) => verify(null, statement, key, signature),
  });
  readonly #versions = new Map<string, Version>();
  readonly #runner: JournalRunner;
  #last: { readonly number: number; readonly result: JournalResult } | null = null;
  #start: Start;

  constructor(limits: JournalRequest["limits"], start: Start) {
    this.#start = start;
    this.#runner = new JournalRunner({
      keys: this.#keys,
      limits,
      setOf: (version) => this.#version(version).own.set,
      step: (call) => this.#step(call),
    });
  }

  /** The engine may be another one than before. */
  answer(request: JournalRequest, ask: JournalAsk, start: Start): JournalResult {
    if (request.number === this.#last?.number) return this.#last.result;
    this.#start = start;
    this.#keys.learn(request.keys);
    for (const { script, machines } of request.versions) {
      const own = setOf(machines);
      this.#versions.set(own.set.manifestHash, { own, script });
    }
    const result = this.#ask(ask);
    this.#last = { number: request.number, result };
    return result;
  }

  #ask(ask: JournalAsk): JournalResult {
    try {
      return this.#runner.ask(ask);
    } catch (error) {
      if (error instanceof StepEnded) return { kind: "ended" };
      throw error;
    }
  }

  #version(hash: string): Version {
    const found = this.#versions.get(hash);
    if (found === undefined) throw new Error(`version ${hash} was not named`);
    return found;
  }

  #step(call: StepCall) {
    const { own, script } = this.#version(call.manifestHash);
    return runStep(own, call, (phase) => this.#start(script, phase));
  }
}

const journals = new Map<number, Journal>();

export function serveJournal(request: JournalRequest, start: Start): JournalResult {
  const { journal: id, ask, limits } = request;
  if (ask === null) {
    journals.delete(id);
    return { kind: "ended" };
  }
  const journal = journals.get(id) ?? new Journal(limits, start);
  journals.set(id, journal);
  try {
    return journal.answer(request, ask, start);
  } catch (error) {
    // The engine or the kernel has broken down: nobody goes on with this one.
    journals.delete(id);
    throw error;
  }
}
