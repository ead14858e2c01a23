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
    const patch = patches.find(({ file }) => url.endsWith(file));
    if (patch === undefined) return loaded;
    const source = String(loaded.source);
    if (!source.includes(patch.from)) throw new Error(`${patch.file} has no "${patch.from}"`);
    return { ...loaded, source: source.replace(patch.from, patch.to) };
  },
});
