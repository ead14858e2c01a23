/**
 * Loaded before the shipped program, for controls: the sources are read with one guard taken out,
 * and the matrix has to notice.
 */
import { registerHooks } from "node:module";
import { brokenGuards, type GuardName, type Patch } from "./broken-guards.ts";

const name = process.env["HOLDFAST_BROKEN_GUARD"] ?? "";
const patches: readonly Patch[] | undefined = brokenGuards[name as GuardName];
if (patches === undefined) throw new Error(`there is no guard ${name}`);

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context);
    const own = patches.filter(({ file }) => url.endsWith(file));
    if (own.length === 0) return loaded;
    let source = String(loaded.source);
    for (const { file, from, to } of own) {
      if (!source.includes(from)) throw new Error(`${file} has no "${from}"`);
      source = source.replace(from, to);
    }
    return { ...loaded, source };
  },
});
