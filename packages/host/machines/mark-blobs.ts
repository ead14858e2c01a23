import { randomBytes } from "node:crypto";
import type { Store } from "@holdfast/core";
import { type Hash, machineInputsMax } from "@holdfast/core";
import { blobsSince, readEdge, readKeptName, TypedHashes, walkBlobs } from "@holdfast/core/machine";
import { type ReadParts, readKernel } from "./kept-kernels.ts";
import type { KeptSnapshot } from "./kept-snapshots.ts";
import { Versions } from "./open-kernel.ts";
import { PartMarks } from "./part-marks.ts";
import { PartReader } from "./part-reader.ts";
import { waitingInputs } from "./waiting-inputs.ts";

export type BlobParts = Omit<ReadParts, "store"> & {
  readonly store: Pick<Store, "listRows" | "loadBlob" | "loadParts" | "load" | "listParts">;
};

/** Which blobs of machines are named. */
export type BlobMarks = {
  readonly marks: PartMarks;
  /** Why nobody can say it of all of them; null = it is certain. */
  readonly unsure: string | null;
};

const namesPerPage = 1_000;
/** Edges with refs that are held while they are followed: some hundred bytes each. */
const edgesMax = 250_000;

/**
 * Marks every blob that is named by what waits, by the kernel as it is now, and by the snapshots
 * that are kept; and what these blobs name in turn, by their edges. In this order: an input that
 * has been taken in meanwhile is in the kernel, and what a snapshot took from it is in that.
 */
export async function markBlobs(
  parts: BlobParts,
  lastSnapshots: () => Promise<readonly KeptSnapshot[]>,
): Promise<BlobMarks & { readonly kept: readonly KeptSnapshot[] }> {
  const marks = new PartMarks(randomBytes(32));
  const edges = await loadEdges(parts);
  const open: Hash[] = [];
  const found = (hash: Hash) => {
    marks.add(hash);
    if (edges.has(hash)) open.push(hash);
  };
  const unknown = new Set<string>();
  const note = (typed: TypedHashes) => {
    for (const name of typed.unknown) unknown.add(name);
  };
  const inputs = await waitingInputs(parts);
  await readKernel(parts, async ({ kernel }) => {
    const typed = new TypedHashes(kernel.set, found);
    for (const input of inputs) {
      if (input.kind === "event") typed.event(input.topic, input.value);
      if (input.kind === "direct") typed.mail(input.machine, input.value);
    }
    blobsSince(kernel, typed);
    note(typed);
  });
  const kept = await lastSnapshots();
  const versions = new Versions(parts.loadScript);
  const reader = new PartReader(parts);
  for (const { body } of kept) {
    const typed = new TypedHashes(await versions.load(body.version), found);
    await reader.drive(walkBlobs(body.kernel, typed));
    note(typed);
  }
  await followEdges(parts, { edges, open, found });
  await markByEdge(parts, marks);
  return { marks, kept, unsure: whyUnsure({ unknown, inputs: inputs.length, edges: edges.size }) };
}

function whyUnsure(seen: {
  readonly unknown: ReadonlySet<string>;
  readonly inputs: number;
  readonly edges: number;
}): string | null {
  const [unknown] = seen.unknown;
  if (unknown !== undefined) return `nobody knows the schema of ${unknown} any more`;
  if (seen.inputs >= machineInputsMax) return "too many inputs wait for the machines";
  return seen.edges > edgesMax ? `more than ${edgesMax} blobs name others` : null;
}

/** Names of edges that have refs, by their own hash and by that of their blob. */
async function loadEdges(parts: BlobParts): Promise<Map<Hash, Hash[]>> {
  const edges = new Map<Hash, Hash[]>();
  for await (const name of namesAfter(parts, "refs:")) {
    const read = readKeptName(name);
    if (read.kind !== "refs") break;
    for (const hash of [read.ref, read.edgeRef]) {
      edges.set(hash, [...(edges.get(hash) ?? []), name]);
    }
    if (edges.size > edgesMax) break;
  }
  return edges;
}

/** Each once: blobs that were put again may name each other. */
async function followEdges(
  { store, workflow }: BlobParts,
  { edges, open, found }: { edges: Map<Hash, Hash[]>; open: Hash[]; found: (hash: Hash) => void },
): Promise<void> {
  const followed = new Set<Hash>();
  for (let hash = open.pop(); hash !== undefined; hash = open.pop()) {
    const names = (edges.get(hash) ?? []).filter((name) => !followed.has(name));
    for (const name of names) followed.add(name);
    for (const bytes of await store.loadParts(workflow, names)) {
      if (bytes === null) continue;
      const { blobRef, refs } = readEdge(bytes);
      for (const each of [blobRef, ...refs]) found(each);
    }
  }
}

/** Whoever names an edge names its blob. */
async function markByEdge(parts: BlobParts, marks: PartMarks): Promise<void> {
  for await (const name of namesAfter(parts, "edge:")) {
    const read = readKeptName(name);
    if (read.kind !== "edge") return;
    if (marks.has(read.edgeRef)) marks.add(read.ref);
  }
}

async function* namesAfter({ store, workflow }: BlobParts, from: string): AsyncGenerator<Hash> {
  let after = from as Hash;
  for (;;) {
    const page = await store.listParts(workflow, after, namesPerPage);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < namesPerPage) return;
    after = last;
  }
}
