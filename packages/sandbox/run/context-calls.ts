import { inputIdOf } from "@holdfast/core/input-id";
import type { FailureCode } from "../failure.ts";
import type { SandboxLimits } from "../limits.ts";
import type { GuestCall, PhaseCall, PhaseState } from "./phase.ts";
import { readPublications } from "./publications.ts";

type Parts = {
  readonly call: PhaseCall;
  readonly state: PhaseState;
  readonly limits: SandboxLimits;
  readonly fail: (code: FailureCode, message: string) => never;
  /** Counts bytes that the host has to keep. */
  readonly spend: (bytes: number) => void;
};

const inputTextCharsMax = 4_096;

/** A service has its own words for what it holds; the host has not. */
type InputTypes = "any" | readonly string[];

/** What a workflow can take in: things of its connections, what is pushed to it, and time. */
function inputSourcesOf({ connections, handler }: PhaseCall): ReadonlyMap<string, InputTypes> {
  return new Map<string, InputTypes>([
    ...Object.keys(connections).map((name) => [name, "any"] as const),
    ["webhook", [handler]],
    ["system", ["time", "schedule", "random"]],
  ]);
}

/** What `ctx` itself offers, apart from connections. What it may be used for is judged before. */
export class ContextCalls {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Left for the host to do; the guest waits for the number. */
  open(name: string, kind: GuestCall["kind"], params: string): string {
    const { state } = this.#parts;
    const callId = state.callCount;
    state.open.push({ callId, name, kind, params });
    return JSON.stringify({ id: callId });
  }

  call(name: string, params: string): string {
    switch (name) {
      case "ctx.peek":
      case "ctx.getByIds":
        this.#mustSubscribe(params);
        return this.open(name, "context", params);
      case "ctx.kv.get":
        return this.#readKv(params);
      case "ctx.kv.set":
      case "ctx.kv.delete":
        return this.#writeKv(params);
      case "ctx.withItem":
        return this.#openItem(params);
      case "ctx.itemDone":
        return this.#closeItem();
      default:
        return this.#parts.fail("SCRIPT_ENGINE", `There is no ${name}.`);
    }
  }

  publish(text: string): undefined {
    const { call, state, limits, fail, spend } = this.#parts;
    const { publications } = state.record;
    const nextIndex = publications.length;
    const more = readPublications(text, { call, limits, fail, spend, nextIndex });
    publications.push(...more);
    if (publications.length > limits.eventsMax) {
      fail("SCRIPT_EVENTS", `It published more than ${limits.eventsMax} events.`);
    }
    return undefined;
  }

  registerInput(text: string): string {
    const { state, limits, fail } = this.#parts;
    const { source, type, id, title } = Object(JSON.parse(text)) as Record<string, unknown>;
    const isText = (each: unknown): each is string =>
      typeof each === "string" && each !== "" && each.length <= inputTextCharsMax;
    if (!isText(source) || !isText(type) || !isText(id) || !isText(title)) {
      return fail("SCRIPT_PUBLISH", "registerInput needs the texts source, type, id and title.");
    }
    this.#mustBeKnown(source, type);
    const inputId = inputIdOf({ source, type, externalId: id });
    const known = state.record.inputs.some((input) => input.inputId === inputId);
    if (!known) state.record.inputs.push({ inputId, source, type, externalId: id, title });
    if (state.record.inputs.length > limits.eventsMax) {
      fail("SCRIPT_EVENTS", `It registered more than ${limits.eventsMax} inputs.`);
    }
    return inputId;
  }

  /** People look for an input where it comes from: a source nobody set up tells them nothing. */
  #mustBeKnown(source: string, type: string): void {
    const { call, fail } = this.#parts;
    const types = inputSourcesOf(call).get(source);
    if (types === "any" || types?.includes(type) === true) return;
    const valid = [...inputSourcesOf(call)].map(([name, each]) =>
      each === "any" ? `${name} (any type)` : `${name} (${each.join(", ")})`,
    );
    const shown = `${JSON.stringify(source)} of type ${JSON.stringify(type)}`;
    fail("SCRIPT_INPUT_SOURCE", `There is no source ${shown}. Valid: ${valid.join("; ")}.`);
  }

  log(text: string): undefined {
    const { state, limits, fail } = this.#parts;
    const { logs } = state.record;
    if (logs.length >= limits.logLinesMax) {
      fail("SCRIPT_LOGS", `It wrote more than ${limits.logLinesMax} log lines.`);
    }
    logs.push({ at: state.now, text: text.slice(0, limits.logLineCharsMax).toWellFormed() });
    return undefined;
  }

  #mustSubscribe(params: string): void {
    const { call, fail } = this.#parts;
    const [topic] = JSON.parse(params) as readonly unknown[];
    if (typeof topic === "string" && call.subscribe.includes(topic)) return;
    const named = typeof topic === "string" ? topic.slice(0, 200) : "what was given";
    fail("SCRIPT_TOPIC", `${named} is not a topic that ${call.handler} subscribes to.`);
  }

  #readKv(params: string): string {
    const key = this.#kvKey(params);
    const written = this.#parts.state.record.kvWrites.findLast((write) => write.key === key);
    if (written === undefined) return this.open("ctx.kv.get", "context", params);
    return written.value === null ? "{}" : `{"value":${written.value}}`;
  }

  #writeKv(params: string): string {
    const key = this.#kvKey(params);
    const value: unknown = (JSON.parse(params) as readonly unknown[])[1];
    const { kvWrites } = this.#parts.state.record;
    kvWrites.push({ key, value: value === undefined ? null : JSON.stringify(value) });
    return "{}";
  }

  #kvKey(params: string): string {
    const [key] = JSON.parse(params) as readonly unknown[];
    if (typeof key === "string" && key !== "") return key;
    return this.#parts.fail("SCRIPT_VALUE", "A key of ctx.kv has to be a text.");
  }

  #openItem(params: string): string {
    const { state, fail } = this.#parts;
    const [id, title] = JSON.parse(params) as readonly unknown[];
    if (typeof id !== "string" || id === "" || typeof title !== "string") {
      fail("SCRIPT_VALUE", "withItem needs an id and a title, both texts.");
    }
    const { itemsMax } = this.#parts.limits;
    state.itemCount += 1;
    if (state.itemCount > itemsMax) {
      fail("SCRIPT_CALLS", `It opened more than ${itemsMax} items.`);
    }
    const answer = this.open("ctx.withItem", "context", params);
    state.inItem = true;
    this.#beginLimits();
    state.publishedBefore = state.record.publications.length;
    return answer;
  }

  /** Calls and computing are limited per item: how many items there are has a limit of its own. */
  #beginLimits(): void {
    const { state } = this.#parts;
    state.callsSince = 0;
    state.runningMs = 0;
    state.fuelUsed = 0;
  }

  /** What was published in the item goes with it: it becomes visible when the item is done. */
  #closeItem(): string {
    const { state, fail } = this.#parts;
    if (!state.inItem) fail("SCRIPT_FORBIDDEN", "No item is open.");
    const left = state.open[0];
    if (left !== undefined) {
      fail("SCRIPT_CALL_LEFT_OPEN", `${left.name} was called without await inside an item.`);
    }
    state.inItem = false;
    this.#beginLimits();
    const published = state.record.publications.splice(state.publishedBefore);
    // The host would have nothing to write, and the isolate would be copied for that.
    if (state.inDoneItem && published.length === 0) return "{}";
    return this.open("ctx.itemDone", "context", JSON.stringify(published));
  }
}
