import { randomUUID } from "node:crypto";
import { registerHooks } from "node:module";
import { schemaVersion } from "../migrations.ts";

const ours = new URL("..", import.meta.url).href;
const lastStep = "\n];";

/** The program of tomorrow: the sources of this one, read anew, with one more schema step. */
export async function importNewer(sql: string): Promise<typeof import("../index.ts")> {
  const mark = `?tomorrow=${randomUUID()}`;
  const hooks = registerHooks({
    resolve: (specifier, context, nextResolve) => {
      const found = nextResolve(specifier, context);
      const isMarked = context.parentURL?.endsWith(mark) === true && found.url.startsWith(ours);
      return isMarked ? { ...found, url: `${found.url}${mark}` } : found;
    },
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(`/migrations.ts${mark}`)) return loaded;
      const source = String(loaded.source);
      if (!source.includes(lastStep)) throw new Error("the steps end otherwise");
      const step = JSON.stringify({ version: schemaVersion + 1, name: "tomorrow", sql });
      return { ...loaded, source: source.replace(lastStep, () => `\n  ${step},${lastStep}`) };
    },
  });
  try {
    return (await import(`../index.ts${mark}`)) as typeof import("../index.ts");
  } finally {
    hooks.deregister();
  }
}
