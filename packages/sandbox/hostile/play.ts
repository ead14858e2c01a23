import type { CallAnswer, GuestCall, PhaseCall, PhaseOutcome } from "../index.ts";
import type { Sandbox } from "../sandbox.ts";
import type { HostileScript } from "./hostile-script.ts";

/** Small, so that a limit is met soon; large enough for anything well-behaved. */
export const hostileLimits = {
  heapBytesMax: 12_582_912,
  fuelMax: 40,
  // On a busy machine what meets another limit takes seconds until it does.
  runningMsMax: 60_000,
  waitingMsMax: 60_000,
  loadingMsMax: 60_000,
  callsMax: 20,
  itemsMax: 20,
  valueBytesMax: 100_000,
  stateBytesMax: 20_000,
  outputBytesMax: 500_000,
  logLinesMax: 20,
  eventsPerPublishMax: 20,
  eventsMax: 50,
  definitionBytesMax: 50_000,
} as const;

/** For those that would go on for ever. */
export const hurriedLimits = {
  ...hostileLimits,
  runningMsMax: 1_000,
  waitingMsMax: 250,
  loadingMsMax: 1_000,
} as const;

/** Whether time is the only limit that it meets. */
export function isEndless({ expect }: HostileScript): boolean {
  return expect.endsWith("_TIME");
}

const call: PhaseCall = {
  phase: "prepare",
  handler: "c",
  given: {},
  connections: {
    shop: {
      list: "read:list",
      getOrder: "read:byId",
      send: "mutation",
      refuse: "read:byId",
      slow: "read:byId",
    },
  },
  subscribe: ["t"],
  publishes: ["t"],
  mutateReads: "none",
  now: 1234,
  seed: "seed",
};

const answers: Readonly<Record<string, string>> = {
  "shop.list": `[{"id":"1","total":5}]`,
  "ctx.peek": "[]",
  "ctx.withItem": `{"isDone":false}`,
};

/** The host's part: every call has one fixed answer. */
function perform({ name }: GuestCall): Promise<CallAnswer> {
  if (name === "shop.refuse") return Promise.resolve({ kind: "stop", reason: "refused" });
  if (name === "shop.slow") return new Promise(() => {});
  return Promise.resolve({ kind: "value", value: answers[name] ?? null });
}

/** What became of a script, and all that is left of it; equal for equal runs. */
export type Played = {
  readonly verdict: string;
  readonly callsAfterEnd: number;
  /** Everything that was recorded, performed or returned, as one text. */
  readonly trail: string;
};

export async function play(sandbox: Sandbox, script: HostileScript): Promise<Played> {
  const loaded = await sandbox.load(script.code);
  if (!loaded.ok) {
    const { code, message } = loaded.failure;
    return { verdict: `load ${code}`, callsAfterEnd: 0, trail: message };
  }
  const given = { ...call, phase: script.phase, ...script.call };
  const outcome = await sandbox.run(loaded.script, given, { perform });
  const { result, record, trace, used } = outcome;
  const performed = trace.map(({ name, params }) => [name, params]);
  return {
    verdict: verdictOf(result),
    callsAfterEnd: used.callsAfterEnd,
    trail: JSON.stringify({ result, record, performed }),
  };
}

function verdictOf(result: PhaseOutcome["result"]): string {
  switch (result.kind) {
    case "failed":
      return result.failure.code;
    case "stopped":
      return `stopped ${String(result.reason)}`;
    case "mutation":
      return `mutation ${result.call.connection}.${result.call.operation} ${result.call.params}`;
    case "returned":
      return `returned ${result.value ?? "nothing"}`;
  }
}
