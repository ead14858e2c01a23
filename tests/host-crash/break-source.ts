/**
 * Loaded before the shipped program, for controls: the sources are read with one guard taken out,
 * and the matrix has to notice.
 */
import { registerHooks } from "node:module";
import { brokenGuards } from "./broken-guards.ts";

const name = process.env["HOLDFAST_BROKEN_GUARD"] ?? "";
const guard = brokenGuards[name];
if (guard === undefined) throw new Error(`there is no guard ${name}`);
const { file, from, to } = guard;

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(file)) return loaded;
    const source = String(loaded.source);
    if (!source.includes(from)) throw new Error(`${file} has no "${from}"`);
    return { ...loaded, source: source.replace(from, to) };
  },
});
