import type { CellAnswer, CellsAnswer, IntentsAnswer } from "@holdfast/protocol";
import type { Said } from "./states.ts";
import { exactTime } from "./times.ts";
import { countText, type Json, valueText } from "./values.ts";

export type Cell = CellsAnswer["items"][number];
export type Intent = IntentsAnswer["items"][number];

/** `parcel` of `orders/parcel@1`; a later form of it has its number. */
export function machineName(machine: string): string {
  const [, name = machine, number = "1"] = /\/([^@]+)@(\d+)$/.exec(machine) ?? [];
  return number === "1" ? name : `${name} (form ${number})`;
}

/** What one is called: a machine without keys has one alone. */
export function cellName({ machine, key }: Pick<Cell, "machine" | "key">): string {
  return key === null ? machineName(machine) : `${machineName(machine)} ${valueText(key as Json)}`;
}

const statuses: Readonly<Record<string, Said>> = {
  failed: { text: "stopped: needs a fix", tone: "stopped" },
  waiting: { text: "waiting for an answer", tone: "moving" },
  running: { text: "ready for what comes", tone: "quiet" },
  completed: { text: "done", tone: "done" },
};

export function sayCellStatus(status: string): Said {
  return statuses[status] ?? { text: status, tone: "quiet" };
}

export function sayCell({ status, waiting }: Pick<Cell, "status" | "waiting">): Said {
  const isDue = status === "running" && waiting > 0;
  return isDue ? { text: "its turn comes", tone: "moving" } : sayCellStatus(status);
}

/** What stands at the end of its row. */
export function cellLine({ waiting, openIntents }: Pick<Cell, "waiting" | "openIntents">): string {
  const parts = [
    waiting > 0 ? `${countText(waiting, "thing")} to look at` : null,
    openIntents.length > 1 ? `${countText(openIntents.length, "answer")} to come` : null,
  ];
  return parts.filter((part) => part !== null).join(" · ");
}

type Params = { readonly [name: string]: Json };

const own: Readonly<Record<string, string>> = {
  "sys/timer.set": "to be woken",
  "sys/blob.put": "to have bytes kept",
  "sys/blob.get": "to be given bytes that were kept",
};

/** What is asked for, as one would say it: `POST /parcels at shop`. */
export function sayEffect(effect: string, given: Json): string {
  const params = (typeof given === "object" && given !== null ? given : {}) as Params;
  const [name = effect] = effect.split("@");
  const known = own[name];
  if (known !== undefined) return `${known}${wakeText(params["deliver_at_ns"])}`;
  const [, operation = name] = name.split("/");
  const { path, connection } = params;
  const what = typeof path === "string" ? `${operation.toUpperCase()} ${path}` : operation;
  return typeof connection === "string" ? `${what} at ${connection}` : what;
}

const nsPerMs = 1_000_000;

function wakeText(at: Json | undefined): string {
  return at === undefined || at === null ? "" : ` at ${exactTime(Number(at) / nsPerMs)}`;
}

/** What is meant by a verdict, and what to do about it; null = nothing is to be done. */
export type Verdict = { readonly what: string; readonly todo: string | null };

type Judged = Pick<CellAnswer, "diagnosis" | "failed" | "again" | "waiting" | "status">;

/** What of its open intents says why it waits. */
type Waits = readonly Pick<Intent, "kind" | "attentionId">[];

export function sayVerdict(cell: Judged, intents: Waits): Verdict {
  const { diagnosis, waiting } = cell;
  // A stop is told before what led to it.
  if (cell.status === "failed") return sayFailure(cell);
  switch (diagnosis.cause) {
    case "waiting_receipt":
      return sayWait(intents);
    case "waiting_event":
      return waiting > 0
        ? { what: "Something came in for it, and its turn comes.", todo: null }
        : { what: "It waits for what comes in next.", todo: null };
    case "adapter_timeout":
      return { what: "What it asked for last was not answered in time.", todo: goesOn(cell) };
    case "adapter_error":
      return { what: "What it asked for last did not work, for certain.", todo: goesOn(cell) };
    case "completed":
      return { what: "It is done: nothing is left to do.", todo: null };
    default:
      return { what: "Nothing has happened to it yet.", todo: null };
  }
}

function sayWait(intents: Waits): Verdict {
  if (intents.some(({ attentionId }) => attentionId !== null)) {
    return { what: "It asked for something that a person has to agree to.", todo: "Answer below." };
  }
  if (intents.length > 0 && intents.every(({ kind }) => kind === "timer")) {
    return { what: "It sleeps until it is woken.", todo: null };
  }
  return { what: "It asked for something and waits for the answer.", todo: null };
}

function goesOn({ status }: Judged): string {
  if (status === "completed") return "Its script has ended it. The answer stands below.";
  return "Its script was told, and decides what comes of it. The answer stands below.";
}

function sayFailure({ failed, again, diagnosis }: Judged): Verdict {
  if (failed === "receipt") {
    const what = "It was answered with something that its script has no place for.";
    return { what, todo: "Deploy a version that can take it, then let it go on." };
  }
  if (again?.kind === "output") {
    const what = "Its script made a mistake with what came in. The version of now can take it.";
    return { what, todo: "Let it go on with it." };
  }
  const why = again === null ? sayFault(diagnosis.note) : again.note || sayFault(again.code ?? "");
  const todo = "Deploy a version that can take it and let it go on, or let it go on without it.";
  return { what: `Its script made a mistake with what came in: ${why}`, todo };
}

const faults: Readonly<Record<string, string>> = {
  "step.threw": "it threw an error.",
  "step.fuel": "it did not come to an end.",
  "step.memory": "it took too much memory.",
  "step.output_unreadable": "what it answered cannot be read.",
  "step.state_invalid": "it left a state that does not fit its own schema.",
  "workflow.output_invalid": "it asked for something that it does not declare.",
};

/** Of a code that has no words of its own: the code. What the script said may stand behind it. */
export function sayFault(fault: string): string {
  const [code = "", ...said] = fault.split(": ");
  const words = faults[code];
  if (words === undefined) return fault;
  return said.length === 0 ? words : `${words.replace(/\.$/, "")}: ${said.join(": ")}`;
}
