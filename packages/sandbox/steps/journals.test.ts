import { encodeCanonical } from "@holdfast/core";
import type { SetDeclaration } from "@holdfast/core/machine";
import { MachineWorld } from "@holdfast/core/machine/testing";
import { expect, test } from "vitest";
import type { PhaseResult } from "../run/phase.ts";
import type { ScriptImage } from "../run/slice.ts";
import { type JournalRequest, serveJournal } from "./journals.ts";

const text = { type: "text" } as const;
const counter = {
  name: "count",
  state: { type: "record", fields: { last: text } },
  event: { type: "ref", name: "said" },
  key: null,
  context: false,
  annotations: null,
  version: 1,
  effects: [],
  subscribe: [{ topic: "said", key: null }],
} as const;

/** The journal of one machine that keeps what it was told last. */
function journalOf(said: readonly string[]) {
  const topics = [{ name: "said", schema: { type: "record", fields: { say: text } } }] as const;
  const declaration = { topics, machines: [counter] } as unknown as Partial<SetDeclaration>;
  const steps = { count: (_: never, { say }: { say: string }) => ({ state: { last: say } }) };
  const world = new MachineWorld({ declaration, steps: steps as never });
  for (const say of said) {
    const value = encodeCanonical({ say });
    world.give([{ kind: "event", topic: "said", value, key: null, messageId: null }]);
  }
  const { workflow, manifestHash, moduleVersion } = world.kernel.set;
  const whole = { workflow, manifestHash, moduleVersion, effects: [], ...declaration };
  const machines = { hash: manifestHash, text: JSON.stringify(whole) };
  return { journal: world.journal, machines };
}

const script = {} as ScriptImage;
let journalCount = 0;

function begin({ journal, machines }: ReturnType<typeof journalOf>) {
  const base = { kind: "journal", journal: ++journalCount, limits: {}, keys: [] } as const;
  const asks = { number: 1, versions: [{ script, machines }] };
  const records = encodeCanonical(journal);
  const run: JournalRequest = { ...base, ...asks, ask: { kind: "run", records, blobs: [] } };
  return { base, run };
}

const tells: (entry: { readonly given: object }) => PhaseResult = ({ given }) => {
  const { event } = given as { readonly event: string };
  const { say } = JSON.parse(event) as { readonly say: string };
  return { kind: "returned", value: JSON.stringify({ state: { last: say } }) };
};

test("a journal is run again in the thread that has its steps", () => {
  const { run } = begin(journalOf(["a", "b"]));
  const result = serveJournal(run, (_, call) => tells(call));
  expect(result).toEqual({ kind: "ran", divergence: null });
});

test("a step that does something else is found at its record", () => {
  const { run } = begin(journalOf(["a", "b"]));
  const other = () => ({ kind: "returned", value: '{"state":{"last":"a"}}' }) as const;
  const result = serveJournal(run, other);
  expect(result).toMatchObject({ kind: "ran", divergence: { code: "record.differs", seq: 5 } });
});

test("a step that its clock ended says nothing about the journal", () => {
  const { run } = begin(journalOf(["a"]));
  const failure = { code: "SCRIPT_RUNNING_TIME", message: "it took long", position: null } as const;
  expect(serveJournal(run, () => ({ kind: "failed", failure }))).toEqual({ kind: "ended" });
});

test("a request that comes twice is answered twice and done once", () => {
  const { run, base } = begin(journalOf(["a", "b"]));
  let count = 0;
  const start = (_: ScriptImage, call: Parameters<typeof tells>[0]) => {
    count++;
    return tells(call);
  };
  const once = serveJournal(run, start);
  expect(serveJournal(run, start)).toEqual(once);
  expect(count).toBe(2);
  const taken = serveJournal({ ...base, number: 2, versions: [], ask: { kind: "take" } }, start);
  expect(taken).toMatchObject({ kind: "taken", seq: 5 });
});

test("nothing is left of a journal that is not needed any more", () => {
  const { run, base } = begin(journalOf(["a"]));
  serveJournal(run, (_, call) => tells(call));
  serveJournal({ ...base, number: 2, versions: [], ask: null }, (_, call) => tells(call));
  const ask = { kind: "take" } as const;
  const taken = serveJournal({ ...base, number: 3, versions: [], ask }, (_, call) => tells(call));
  expect(taken).toMatchObject({ kind: "taken", seq: 0 });
});
