/** One guard of the promise, taken out of the sources. */
export type BrokenGuard = { readonly file: string; readonly from: string; readonly to: string };

export const brokenGuards: Readonly<Record<string, BrokenGuard>> = {
  /** The request leaves before anything is recorded of it. */
  "in_flight is recorded after the send": {
    file: "packages/host/engine/workflow-loop.ts",
    from: "    const executed = await owner.execute(commands, now);\n    if",
    to: `    for (const each of commands) {
      if (typeof each === "function" || each.kind !== "record_mutation") continue;
      const sent = { ...each, providerKey: "none", timeoutMs: 400 };
      await this.#parts.outside.send(sent, () => true);
    }
    const executed = await owner.execute(commands, now);
    if`,
  },
  /** Nobody looks at the clock or the lease before the first byte. */
  "the last check always says yes": {
    file: "packages/host/engine/sender.ts",
    from: "return latest !== undefined && monotonicMs() < latest && ownership.mayAct();",
    to: "return latest !== undefined || monotonicMs() > 0 || ownership.mayAct();",
  },
};
