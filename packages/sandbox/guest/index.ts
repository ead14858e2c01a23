import * as Keep from "@holdfast/sdk";
import { encodeOrEnd, settle } from "./calls.ts";
import { forConnections, makeConnection, makeContext, type Offer } from "./context.ts";
import { describeThrown } from "./errors.ts";
import { type Apart, putInPlace } from "./exact-values.ts";
import { harden } from "./harden.ts";
import { host } from "./host.ts";
import {
  apply,
  bare,
  bareList,
  define,
  freeze,
  isArray,
  ownKeys,
  ownMember,
  parseJson,
} from "./intrinsics.ts";
import { makeConsole } from "./log.ts";
import { seedRandom } from "./random.ts";

/** One call of one handler, as the host asks for it. */
type Entry = {
  readonly phase: "producer" | "prepare" | "mutate" | "next" | "job" | "step";
  readonly handler: string;
  readonly seed?: string;
  readonly offer: Offer;
  /** Absent = undefined, as for the state of a first run. */
  readonly given: {
    readonly state?: unknown;
    readonly prepared?: unknown;
    readonly mutationResult?: unknown;
    readonly event?: unknown;
    readonly context?: unknown;
    readonly from?: unknown;
    readonly apart?: readonly Apart[];
  };
  readonly asGlobals: boolean;
};

type Handler = (given: readonly unknown[]) => unknown;

let definition: unknown;
let hasJobs = false;

/**
 * After the script was evaluated: keeps its definition, and tells the host what is in it. From here
 * on its globals stay as they are; only jobs get some more, and are closed when they have them.
 */
function adopt(exported: unknown): void {
  definition = exported;
  host("definition", encodeOrEnd(withoutFunctions(exported, 0), "workflow"));
  hasJobs = memberOf(exported, "jobs") !== undefined;
  if (!hasJobs) freeze(globalThis);
}

const depthLevelsMax = 32;

/** Functions stand as their names; all else stays, for the encoder to judge. */
function withoutFunctions(value: unknown, depth: number): unknown {
  if (typeof value === "function") return { $function: nameOf(value) };
  if (typeof value !== "object" || value === null || depth > depthLevelsMax) return value;
  if (isArray(value)) {
    const list = bareList<unknown>();
    for (let index = 0; index < value.length; index++) {
      list[index] = withoutFunctions(value[index], depth + 1);
    }
    return list;
  }
  const copied = bare<unknown>();
  const keys = ownKeys(value);
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string | symbol;
    if (typeof key === "symbol") continue;
    copied[key] = withoutFunctions((value as Record<string, unknown>)[key], depth + 1);
  }
  return copied;
}

function nameOf(value: { readonly name?: unknown }): string {
  return typeof value.name === "string" ? value.name : "";
}

function enter(text: string, ...beside: readonly ArrayBuffer[]): void {
  const entry = parseJson(text) as Entry;
  seedRandom(ownMember(entry, "seed") as string | undefined);
  try {
    const handler = findHandler(entry);
    const ctx = makeContext(entry.offer);
    if (entry.asGlobals) giveGlobals(entry.offer, ctx);
    if (hasJobs) freeze(globalThis);
    void run(handler, argumentsOf(entry, ctx, beside), entry.phase === "step");
  } catch (thrown) {
    threw(thrown);
  }
}

async function run(handler: Handler, given: readonly unknown[], exact: boolean): Promise<void> {
  let value: unknown;
  try {
    value = await handler(given);
  } catch (thrown) {
    threw(thrown);
  }
  host("returned", value === undefined ? "" : encodeOrEnd(value, "result", exact));
}

function threw(thrown: unknown): void {
  host("threw", encodeOrEnd(describeThrown(thrown), "error"));
}

function argumentsOf(
  { phase, given }: Entry,
  ctx: object,
  beside: readonly ArrayBuffer[],
): readonly unknown[] {
  const value = (name: keyof Entry["given"]) => ownMember(given, name);
  switch (phase) {
    case "producer":
    case "prepare":
    case "job":
      return [ctx, value("state")];
    case "mutate":
      return [ctx, value("prepared")];
    case "next":
      return [ctx, value("prepared"), value("mutationResult")];
    case "step":
      putInPlace(given, value("apart") as readonly Apart[] | undefined, beside);
      if (isMigration(given)) return [value("state"), value("from")];
      return [value("state"), value("event"), value("context")];
  }
}

/** Where the handlers of each phase are declared, and the names of their functions there. */
const places: Readonly<Record<Entry["phase"], readonly [group: string, member: string]>> = {
  producer: ["producers", "handler"],
  prepare: ["consumers", "prepare"],
  mutate: ["consumers", "mutate"],
  next: ["consumers", "next"],
  job: ["jobs", "handler"],
  step: ["machines", "step"],
};

function isMigration(given: Entry["given"]): boolean {
  return ownMember(given, "from") !== undefined;
}

function findHandler({ phase, handler, given }: Entry): Handler {
  const place = places[phase];
  const declared = memberOf(memberOf(definition, place[0]), handler);
  const member = phase === "step" && isMigration(given) ? "migrate" : place[1];
  const found = typeof declared === "function" ? declared : memberOf(declared, member);
  if (typeof found !== "function") host("refuse", "no_handler");
  // Handlers that are written as methods find their definition as `this`.
  const self = found === declared ? undefined : declared;
  return (given) => apply(found as () => unknown, self, given);
}

/** Only what the definition itself has is in the manifest. */
function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? ownMember(value, name) : undefined;
}

/** In jobs `withItem` and the connections are there without `ctx` too. */
function giveGlobals(offer: Offer, ctx: object): void {
  define(globalThis, "withItem", (ctx as Record<string, unknown>)["withItem"]);
  forConnections(offer, (name, operations) => {
    define(globalThis, name, makeConnection(name, operations));
  });
}

harden();
const own = globalThis as Record<string, unknown>;
own["Keep"] = freeze({ ...Keep });
own["console"] = makeConsole();

export const parts = { adopt, enter, settle };
