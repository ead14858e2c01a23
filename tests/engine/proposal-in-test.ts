import { decodeCanonical, encodeCanonical, type ProposalRow } from "@holdfast/core";
import type { MachineInTest } from "./machine-in-test.ts";
import { machineSource } from "./machine-workflow.ts";

/** Says everything louder, and may remember that it did. */
export const loudSource = machineSource
  .replace("log: schema.list(schema.text()),", "log: schema.list(schema.text()), loud: loudly,")
  .replace("const booked = schema.record", "const loudly = schema.option(schema.bool());\n$&")
  .replace("{ log: [], number: null }", "{ log: [], number: null, loud: null }")
  .replace("{ log: log(word), number }", "{ ...state, log: log(word), number }")
  .replace("default: return { state: next }", loud());

function loud(): string {
  return "default: return { state: { ...next, log: log(say.toUpperCase()), loud: true } }";
}

/** Counts, and no state of before says how far. */
export const countingSource = loudSource.replace(
  "const loudly = schema.option(schema.bool());",
  "const loudly = schema.bool();",
);

/** The same, with a function that says how far; some states it cannot make anything of. */
export const migratingSource = countingSource.replace(
  "step(before, event, ctx) {",
  `migrate(state, from) {
          if (state.log.includes("unheard of")) throw new Error("nothing comes of it");
          if (state.log.includes("endless")) for (;;) {}
          if (state.log.includes("ended")) return null;
          if (state.log.includes("misfit")) return { ...state, loud: "very" };
          return { ...state, log: [...state.log, "was " + from.key], loud: false };
        },
        $&`,
);

/** One more after that, which knows of states what the version before it knew, and no more. */
export const thirdSource = migratingSource
  .replace("const loudly = schema.bool();", "const loudly = schema.text();")
  .replace("loud: true }", 'loud: "very" }')
  .replace(
    /migrate\(state, from\) \{[\s\S]*?\n {8}\},/,
    `migrate(state, from) {
          if (typeof state.loud !== "boolean") throw new Error("not of the version before");
          if (from.key === "large") return { ...state, log: ["x".repeat(2_000_000)], loud: "" };
          return { ...state, loud: String(state.loud) };
        },`,
  );

/** Proposals of a workflow with a machine, asked for as people do. */
export class ProposalsInTest {
  readonly it: MachineInTest;

  constructor(it: MachineInTest) {
    this.it = it;
  }

  async row(number: number): Promise<ProposalRow> {
    const row = (await this.it.test.rows("proposals")).find((each) => each.number === number);
    if (row === undefined) throw new Error(`there is no proposal ${number}`);
    return row;
  }

  /** What the verdict says. */
  async propose(source: string, given: { readonly base?: string } = {}): Promise<string> {
    const { test } = this.it;
    const [workflow] = await test.rows("workflows");
    const { scriptHash, ...declared } = await test.compile(source);
    const base = given.base ?? workflow?.scriptHash ?? "";
    const version = { major: (workflow?.versionMajor ?? 0) + 1, minor: 0, scriptHash };
    const rest = { script: null, grants: null, progress: "keep", description: "louder" };
    return test.ask("propose_version", { ...version, ...rest, ...declared, base });
  }

  async shadow(number: number): Promise<string> {
    const { hash: patchHash } = (await this.row(number)).body;
    const report = encodeCanonical("it was tried");
    return this.it.test.ask("shadow_version", { number, patchHash, report });
  }

  async decide(number: number, says: "approve" | "reject"): Promise<string> {
    const { hash: patchHash } = (await this.row(number)).body;
    return this.it.test.ask("decide_version", { number, patchHash, says, reason: null });
  }

  /** Proposed, tried and agreed to; answers with its number. */
  async agreed(source: string): Promise<number> {
    await this.propose(source);
    const number = Math.max(...(await this.it.test.rows("proposals")).map((each) => each.number));
    await this.shadow(number);
    await this.decide(number, "approve");
    return number;
  }

  async apply(number: number, waits = false): Promise<string> {
    return this.it.test.ask("apply_version", { number, waits });
  }

  /** What stood in the way when it was last to be applied. */
  async obstacles(number: number): Promise<unknown> {
    const { obstacles } = await this.row(number);
    if (obstacles === null) return null;
    const { test } = this.it;
    const { inline, hash } = obstacles;
    return decodeCanonical(inline ?? (await test.store.loadBlob(test.workflow, hash)));
  }

  /** Kinds of the facts about versions, in order. */
  async history(): Promise<readonly string[]> {
    const { store, workflow } = this.it.test;
    const entries = await store.readJournal(workflow, 0, 10_000);
    const kinds = entries.map(({ bytes }) => kindOf(bytes));
    return kinds.filter((kind) => /^version_|^apply_/.test(kind));
  }
}

function kindOf(bytes: Uint8Array): string {
  return (decodeCanonical(bytes) as unknown as { fact: { kind: string } }).fact.kind;
}
