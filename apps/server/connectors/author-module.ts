import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import * as kit from "@holdfast/connector-kit";
import * as conformance from "@holdfast/connector-kit/conformance";
import { HostError } from "@holdfast/core";

/** What an author's module may import of ours, wherever it lies and whatever is installed there. */
const ours: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "@holdfast/connector-kit": kit,
  "@holdfast/connector-kit/conformance": conformance,
};

const scheme = "holdfast:";
const shared = Symbol.for("holdfast.connector-kit");

/** The default export of a module that a connector's author wrote. */
export async function importAuthored(path: string): Promise<unknown> {
  offerKit();
  const url = pathToFileURL(path).href;
  const hooks = registerHooks({
    // Also in a folder that does not say that its files are modules.
    resolve: (specifier, context, next) => {
      if (specifier !== url) return next(specifier, context);
      const format = /\.[cm]?ts$/.test(path) ? "module-typescript" : "module";
      return { url, format, shortCircuit: true };
    },
  });
  try {
    const module = (await import(url)) as { readonly default?: unknown };
    if (module.default !== undefined) return module.default;
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw unusable(path, `it cannot be read: ${said.split("\n")[0]}`, error);
  } finally {
    hooks.deregister();
  }
  throw unusable(path, "it has no default export");
}

let isOffered = false;

/**
 * Every import of the kit is answered with the one that this process runs on. A second copy would
 * have a ConnectorError of its own, which the host takes for an error that proves nothing.
 */
function offerKit(): void {
  if (isOffered) return;
  isOffered = true;
  Object.assign(globalThis, { [shared]: ours });
  registerHooks({
    resolve: (specifier, context, next) =>
      Object.hasOwn(ours, specifier)
        ? { url: `${scheme}${specifier}`, shortCircuit: true }
        : next(specifier, context),
    load: (url, context, next) => {
      const name = url.startsWith(scheme) ? url.slice(scheme.length) : "";
      if (!Object.hasOwn(ours, name)) return next(url, context);
      return { format: "module", source: sourceOf(name), shortCircuit: true };
    },
  });
}

function sourceOf(name: string): string {
  const names = Object.keys(ours[name] ?? {}).join(", ");
  const place = `globalThis[Symbol.for("holdfast.connector-kit")][${JSON.stringify(name)}]`;
  return `export const { ${names} } = ${place};`;
}

export function unusable(path: string, why: string, cause?: unknown): HostError {
  return new HostError("CONNECTOR_UNUSABLE", {
    what: `${path} cannot be used: ${why}.`,
    remedy: "Correct it, then do it again; nothing was started or changed.",
    retry: "safe",
    cause,
    details: { path },
  });
}
