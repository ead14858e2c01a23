import type { FunctionNode } from "../../compile/tree/plain-expression.ts";
import type { HandlerPhase, Manifest } from "../../manifest/manifest.ts";
import { collectUses } from "./collect-uses.ts";
import { functionAt } from "./locate.ts";
import type { ScriptView, Sited } from "./script-view.ts";
import type { Uses } from "./use.ts";

/** One function of the script that the host calls, found in the source. */
export type Handler = {
  readonly name: string;
  readonly phase: HandlerPhase;
  readonly path: readonly string[];
  readonly code: Sited<FunctionNode>;
  readonly uses: Uses;
  readonly publishes: readonly string[] | null;
  readonly subscribe: readonly string[];
};

type Plan = Omit<Handler, "code" | "uses">;

/** Handlers that are made at run time cannot be read here; the isolate holds the rules for them. */
export function findHandlers(view: ScriptView, manifest: Manifest): Handler[] {
  const connections = new Set(manifest.connections.map(({ name }) => name));
  const isJobGlobal = (name: string): boolean =>
    connections.has(name) || name === "withItem" || !isPlatformName(name);
  return plansOf(manifest).flatMap((plan) => {
    const code = functionAt(view, plan.path) ?? bareFunction(view, plan);
    if (code === null) return [];
    const isGlobal = plan.phase === "job" ? isJobGlobal : () => false;
    const hasContext = plan.phase !== "step";
    return [{ ...plan, code, uses: collectUses(view, code, { isGlobal, hasContext }) }];
  });
}

/** `poll(ctx) {…}` instead of `poll: { handler(ctx) {…} }`. */
function bareFunction(view: ScriptView, plan: Plan): Sited<FunctionNode> | null {
  return plan.path.at(-1) === "handler" ? functionAt(view, plan.path.slice(0, -1)) : null;
}

function plansOf(manifest: Manifest): Plan[] {
  return [
    ...manifest.producers.map(({ name, publishes }) => {
      const path = ["producers", name, "handler"];
      return { name, phase: "producer" as const, path, publishes, subscribe: [] };
    }),
    ...manifest.consumers.flatMap(({ name, publishes, subscribe }) =>
      (["prepare", "mutate", "next"] as const).map((phase) => {
        return { name, phase, path: ["consumers", name, phase], publishes, subscribe };
      }),
    ),
    ...manifest.jobs.map(({ name, publishes, start }) => {
      const path = ["jobs", name, "handler"];
      const subscribe = start.kind === "topics" ? start.subscribe : [];
      return { name, phase: "job" as const, path, publishes, subscribe };
    }),
    ...manifest.machines.flatMap(({ name }) =>
      ["step", "migrate"].map((member) => {
        const path = ["machines", name, member];
        return { name, phase: "step" as const, path, publishes: null, subscribe: [] };
      }),
    ),
  ];
}

/** Names of the language and of platforms; a connection that is not declared has none of them. */
const platformNames = new Set([
  ...Object.getOwnPropertyNames(globalThis),
  ...["Keep", "undefined", "arguments", "window", "document", "Deno", "Bun", "alert"],
  ...["XMLHttpRequest", "localStorage", "require", "module", "exports", "__dirname", "__filename"],
]);

function isPlatformName(name: string): boolean {
  return platformNames.has(name);
}
