import { createRequire } from "node:module";
import { Instance } from "../engine/instance.ts";
import type { PhaseCall, PhaseResult } from "../run/phase.ts";
import { type SliceEnd, Slices } from "../run/slice.ts";
import type { serveJournal } from "../steps/journals.ts";
import type { runChains } from "../steps/run-chains.ts";
import type { SliceAnswer, SliceRequest, WorkerStart } from "./protocol.ts";

type RunChains = typeof runChains;
type ServeJournal = typeof serveJournal;

/** Answers one request after the other, in whichever thread it is called. */
export class SliceServer {
  readonly #start: WorkerStart;
  #slices: Slices;

  constructor(start: WorkerStart) {
    this.#start = start;
    this.#slices = this.#newSlices();
  }

  serve(request: SliceRequest): SliceAnswer {
    try {
      return this.#serve(request);
    } catch (error) {
      // A trap leaves the engine in the middle of something.
      this.#slices = this.#newSlices();
      const message = `The engine stopped: ${error instanceof Error ? error.message : error}.`;
      return { kind: "broken", failure: { code: "SCRIPT_ENGINE", message, position: null } };
    }
  }

  #serve(request: SliceRequest): SliceAnswer {
    const slices = this.#slices;
    switch (request.kind) {
      case "load":
        return { kind: "load", answer: slices.load(this.#start.boot, request.code) };
      case "start": {
        const first = slices.start(request.script, request.call);
        const follow = first.kind === "ended" ? followUp(first.result, request.follow) : null;
        if (follow === null) return { kind: "run", ends: [first] };
        return { kind: "run", ends: [first, slices.start(request.script, follow)] };
      }
      case "steps":
        return {
          kind: "steps",
          answers: chainRunner()(request.machines, request.calls, (call) =>
            resultOf(slices.start(request.script, call, { isAgain: request.isAgain })),
          ),
        };
      case "journal":
        return {
          kind: "journal",
          result: journalServer()(request, (script, call) =>
            resultOf(slices.start(script, call, { isAgain: true })),
          ),
        };
      case "resume":
        return {
          kind: "run",
          ends: [slices.resume(request.anchors, request.call, request.at)],
        };
    }
  }

  #newSlices(): Slices {
    const { engine, limits } = this.#start;
    const instance = new Instance(engine, limits.heapBytesMax);
    return new Slices(instance, limits, () => performance.now());
  }
}

let knownRunner: RunChains | null = null;

/** Most threads never see a machine, so what they need for that is loaded with the first one. */
function chainRunner(): RunChains {
  if (knownRunner !== null) return knownRunner;
  const loaded = createRequire(import.meta.url)("../steps/run-chains.ts");
  knownRunner = (loaded as { readonly runChains: RunChains }).runChains;
  return knownRunner;
}

let knownServer: ServeJournal | null = null;

function journalServer(): ServeJournal {
  if (knownServer !== null) return knownServer;
  const loaded = createRequire(import.meta.url)("../steps/journals.ts");
  knownServer = (loaded as { readonly serveJournal: ServeJournal }).serveJournal;
  return knownServer;
}

function resultOf(end: SliceEnd): PhaseResult {
  if (end.kind === "ended") return end.result;
  throw new Error("A step waits for something.");
}

/** mutate after prepare: only what was pinned goes in, and only if anything was. */
export function followUp(first: PhaseResult, follow: PhaseCall | null): PhaseCall | null {
  if (follow === null || first.kind !== "returned") return null;
  const { value } = first;
  if (value === null || !hasReservations(value)) return null;
  return { ...follow, given: { ...follow.given, prepared: value } };
}

function hasReservations(value: string): boolean {
  const { reservations } = Object(JSON.parse(value)) as { reservations?: unknown };
  if (!Array.isArray(reservations)) return false;
  return reservations.some((each) => {
    const { ids } = Object(each) as { ids?: unknown };
    return Array.isArray(ids) && ids.length > 0;
  });
}
