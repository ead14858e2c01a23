/** One guard of the promise, taken out of the sources. */
export type Patch = { readonly file: string; readonly from: string; readonly to: string };

export const brokenGuards = {
  /** The request leaves before anything is recorded of it; what came of it is recorded after. */
  "in_flight is recorded after the send": [
    {
      file: "packages/host/engine/workflow-loop.ts",
      from: "    const executed = await owner.execute(told.commands, now, trace);\n    if",
      to: `    for (const each of commands) {
      if (typeof each === "function" || each.kind !== "record_mutation") continue;
      const sent = { ...each, providerKey: "none", timeoutMs: 400 };
      globalThis.sentBefore = await this.#parts.outside.send(sent, () => true,
        new AbortController().signal);
    }
    const executed = await owner.execute(told.commands, now, trace);
    if`,
    },
    {
      file: "packages/host/engine/sender.ts",
      from: "await this.#parts.outside.send(call, mayGo, signal, onFrame)",
      to: "(globalThis.sentBefore ?? call)",
    },
  ],
  /** What a machine asks for is sent while its frame is not durable yet. */
  "an intent is sent before its frame is durable": [
    {
      file: "packages/host/engine/workflow-loop.ts",
      from: "await owner.execute(commands, this.#nowFor(view));\n    this.#machines",
      to: `await (async () => {
      for (const each of commands) {
        if (each.kind !== "record_intent") continue;
        const sent = { ...each, providerKey: "none", timeoutMs: 400 };
        globalThis.sentBefore = await this.#parts.outside.send(sent, () => true,
          new AbortController().signal);
      }
      return owner.execute(commands, this.#nowFor(view));
    })();
    this.#machines`,
    },
    {
      file: "packages/host/engine/sender.ts",
      from: "await this.#parts.outside.send(call, mayGo, signal, onFrame)",
      to: "(globalThis.sentBefore ?? call)",
    },
  ],
  /** Pieces of a snapshot wait for the frame after the one that has it. */
  "a snapshot is durable before its pieces": [
    {
      file: "packages/host/machines/snapshot-pieces.ts",
      from: "this.#isWorthIt(opened, when)) return { snapshot: null, parts: [] };",
      to: `this.#isWorthIt(opened, when)) {
      return { snapshot: null, parts: (globalThis.late ?? []).splice(0) };
    }`,
    },
    {
      file: "packages/host/machines/snapshot-pieces.ts",
      from: "    return { snapshot: null, parts };\n",
      to: `    globalThis.late = [...(globalThis.late ?? []), ...parts];
    return { snapshot: null, parts: [] };
`,
    },
  ],
  /** What lies in the store for a snapshot that is to come is taken for garbage. */
  "parts are collected without their time of grace": [
    {
      file: "packages/host/machines/collect-parts.ts",
      from: "+ policy.machinePartGraceMs",
      to: "+ 0",
    },
  ],
  /** Nobody looks at the clock or the lease before the first byte. */
  "the last check always says yes": [
    {
      file: "packages/host/engine/sender.ts",
      from: "if (latest === undefined || !ownership.mayAct()) return false;",
      to: "if (latest === undefined || ownership.mayAct() || true) return true;",
    },
  ],
  /** What somebody has to agree to goes as if nobody had to. */
  "a grant that asks is taken for one that allows": [
    {
      file: "packages/core/grant/judge.ts",
      from: "return { says, grant: index, amount",
      to: 'return { says: "allow", grant: index, amount',
    },
  ],
  /** What a restored store may have done already goes as if it had not. */
  "a restored store asks nobody": [
    {
      file: "packages/core/restore/restore-point.ts",
      from: "if (through === null) return false;",
      to: "if (through === null || runId !== null) return false;",
    },
  ],
  /** Whoever sees the events free would prepare them again. The database has to refuse it. */
  "events are released while nobody knows": [
    {
      file: "packages/core/mutation/mark-uncertain.ts",
      from: "mutationId, quietFrom, evidence, policy });",
      to: `mutationId, quietFrom, evidence, policy });
      const { runId } = mutation;
      const held = [...draft.view.rows("events")].filter((each) => each.reservedBy === runId);
      draft.emit({ kind: "events_released", runId, events: held });`,
    },
  ],
} as const satisfies Readonly<Record<string, readonly Patch[]>>;

export type GuardName = keyof typeof brokenGuards;
