import { ledgerAlias, phaseAlias, statusAlias } from "./aliases.ts";
import { parseGrid } from "./grid.ts";

export type EdgeTableName = "ledger" | "run" | "phase" | "event" | "workflow" | "item" | "proposal";

/** Row = from, column = to; x = may go there, . = never. Written from the contract. */
const ledger = `
        await  ready  fly  recon  indet  appl  fail
await   .      x      .    .      .      .     x
ready   .      .      x    .      .      .     x
fly     .      x      .    x      x      x     x
recon   .      .      x    x      x      x     x
indet   .      .      .    x      .      x     x
appl    .      .      .    .      .      .     .
fail    .      .      .    .      .      .     .
`;

/** A failed or crashed run never moves again: a new run follows it, or a person stops it. */
const run = `
     ac  tr  ap  rc  us  lo  in  ab  co  cr
ac   .   x   x   x   x   x   x   x   x   x
tr   x   .   .   .   .   .   .   x   .   .
ap   x   .   .   .   .   .   .   x   .   .
rc   x   .   .   .   .   .   .   x   .   .
us   x   .   .   .   .   .   .   x   .   .
lo   .   .   .   .   .   .   .   x   .   .
in   .   .   .   .   .   .   .   x   .   .
ab   .   .   .   .   .   .   .   .   .   .
co   .   .   .   .   .   .   .   .   .   .
cr   .   .   .   .   .   .   .   x   .   .
`;

const phase = `
     pg  pd  mg  md  em  ex  cm
pg   .   x   .   .   .   .   .
pd   .   .   x   .   x   .   .
mg   .   .   .   x   .   .   .
md   .   .   .   .   x   .   .
em   .   .   .   .   .   .   x
ex   .   .   .   .   .   .   x
cm   .   .   .   .   .   .   .
`;

const event = `
           pending  reserved  consumed  skipped
pending    .        x         .         x
reserved   x        .         x         x
consumed   x        .         .         .
skipped    x        .         .         .
`;

const workflow = `
           active  paused  archived
active     .       x       x
paused     x       .       x
archived   .       x       .
`;

/** Back to work only as a new attempt, or because the question about it is answered. */
const item = `
           processing  done  failed  skipped  attention
processing .           x     x       .        x
done       x           .     .       .        .
failed     x           x     .       x        x
skipped    x           .     .       .        .
attention  x           .     .       x        .
`;

/** Nobody agrees to what was not tried; nothing becomes of what was rejected or applied. */
const proposal = `
           submitted  shadowed  approved  rejected  applied
submitted  .          x         .         .         .
shadowed   .          x         x         x         .
approved   .          .         x         x         x
rejected   .          .         .         .         .
applied    .          .         .         .         .
`;

export type EdgeTable = { readonly text: string; readonly alias: Readonly<Record<string, string>> };

const itself = (...names: string[]) => Object.fromEntries(names.map((name) => [name, name]));

/** `alias` maps the words of core to the words of the table. */
export const edgeTables: Readonly<Record<EdgeTableName, EdgeTable>> = {
  ledger: { text: ledger, alias: ledgerAlias },
  run: { text: run, alias: statusAlias },
  phase: { text: phase, alias: phaseAlias },
  event: { text: event, alias: itself("pending", "reserved", "consumed", "skipped") },
  workflow: { text: workflow, alias: itself("active", "paused", "archived") },
  proposal: {
    text: proposal,
    alias: itself("submitted", "shadowed", "approved", "rejected", "applied"),
  },
  item: {
    text: item,
    alias: {
      ...itself("processing", "done", "failed", "skipped"),
      needs_attention: "attention",
    },
  },
};

const grids = new Map(
  Object.entries(edgeTables).map(([name, { text }]) => [name, parseGrid(text)]),
);

export function isLegalEdge(edge: {
  readonly table: EdgeTableName;
  readonly from: string;
  readonly to: string;
}): boolean {
  const { alias } = edgeTables[edge.table];
  const row = grids.get(edge.table)?.rows.get(alias[edge.from] ?? "");
  const column = grids.get(edge.table)?.columns.indexOf(alias[edge.to] ?? "") ?? -1;
  return row?.[column] === "x";
}
