import {
  closeSync,
  existsSync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  writeSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { StoreBrakeAnswer } from "@holdfast/protocol";
import { Command } from "commander";
import { HostClient, HostProblem } from "../host-client.ts";
import { openExistingStore } from "../open-store.ts";
import { plain, print } from "../print.ts";
import { exitCodes } from "../report-error.ts";
import { findPlace, type StorePlace } from "../store-place.ts";
import { trySandbox } from "./validate.ts";

type Options = { readonly data?: string; readonly json: boolean };

/** `remedy` null = all is well. */
type Finding = { readonly what: string; readonly found: string; readonly remedy: string | null };

const nodeMajorMin = 24;
const freeBytesMin = 1_073_741_824;
const syncsTried = 20;
/** No disk that keeps what it acknowledges is faster; a battery-backed one comes near. */
const syncMsMin = 0.02;
const syncMsSlow = 20;
const clockLookMs = 200;
const clockDriftMsMax = 50;

export function doctorCommand(): Command {
  return new Command("doctor")
    .option("--data <folder>", "data folder, if the store is on SQLite")
    .option("--json", "one line of JSON", false)
    .action(run);
}

async function run({ data, json }: Options): Promise<void> {
  const place = findPlace(data);
  const findings: Finding[] = [lookAtNode(), await lookAtClock(), await lookAtSandbox()];
  if (place.kind === "folder") findings.push(...lookAtFolder(resolve(place.folder)));
  const { findings: found, hasHost } = await lookAtHostOrStore(place, data);
  findings.push(...found);
  const isThere = hasHost !== null && found[0]?.remedy === null;
  if (isThere) findings.push(await lookAtWedges(data, hasHost));
  const isWell = findings.every(({ remedy }) => remedy === null);
  print(json, { ok: isWell, findings }, () => findings.map(shown).join("\n"));
  if (!isWell) process.exitCode = exitCodes.problems;
}

function shown({ what, found, remedy }: Finding): string {
  const line = `${remedy === null ? "ok   " : "WRONG"}  ${what.padEnd(12)}  ${found}`;
  return plain(remedy === null ? line : `${line}  ->  ${remedy}`);
}

function lookAtNode(): Finding {
  const { node } = process.versions;
  const isNew = Number(node.split(".")[0]) >= nodeMajorMin;
  const remedy = isNew ? null : "Start it with npm or npx: the right Node comes with the packages.";
  return { what: "Node", found: node, remedy };
}

/** Leases are counted on one clock and times are told by the other. */
async function lookAtClock(): Promise<Finding> {
  const [wall, steady] = [Date.now(), performance.now()];
  await new Promise((resume) => setTimeout(resume, clockLookMs));
  const driftMs = Math.abs(Date.now() - wall - (performance.now() - steady));
  const found = `${driftMs.toFixed(0)} ms apart after ${clockLookMs} ms`;
  const isSteady = driftMs <= clockDriftMsMax;
  const remedy = isSteady ? null : "The system's time is being set: look at its time service.";
  return { what: "clock", found, remedy };
}

async function lookAtSandbox(): Promise<Finding> {
  const startedAt = performance.now();
  const fault = await trySandbox();
  const found = fault ?? `runs a script, ${(performance.now() - startedAt).toFixed(0)} ms`;
  const remedy = fault === null ? null : "Install anew with `npm ci`.";
  return { what: "sandbox", found, remedy };
}

function lookAtFolder(folder: string): readonly Finding[] {
  const there = existsSync(folder) ? folder : existingAbove(folder);
  try {
    return [freeSpace(there), syncSpeed(there)];
  } catch (error) {
    const found = `${there}: ${error instanceof Error ? error.message : String(error)}`;
    return [{ what: "folder", found, remedy: "Give this user the right to write there." }];
  }
}

/** Where it would be made. */
function existingAbove(folder: string): string {
  const above = dirname(folder);
  return existsSync(above) || above === folder ? above : existingAbove(above);
}

function freeSpace(folder: string): Finding {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const found = `${(free / freeBytesMin).toFixed(1)} GiB free in ${folder}`;
  return { what: "space", found, remedy: free < freeBytesMin ? "Make room on this disk." : null };
}

function syncSpeed(folder: string): Finding {
  const tried = mkdtempSync(join(folder, "holdfast-doctor-"));
  const file = openSync(join(tried, "sync"), "w");
  const times: number[] = [];
  try {
    for (let count = 0; count < syncsTried; count += 1) {
      writeSync(file, Buffer.alloc(4_096, count));
      const startedAt = performance.now();
      fdatasyncSync(file);
      times.push(performance.now() - startedAt);
    }
  } finally {
    closeSync(file);
    rmSync(tried, { recursive: true });
  }
  const ms = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
  return { what: "disk sync", found: `${ms.toFixed(2)} ms`, remedy: syncRemedy(ms) };
}

function syncRemedy(ms: number): string | null {
  if (ms < syncMsMin) {
    return "This is too fast to be true: the disk, or a layer above it, may lose what it confirms.";
  }
  if (ms > syncMsSlow) return "Every commit waits for it: keep the data folder on a faster disk.";
  return null;
}

/** `hasHost` null = there is neither a host nor a store to look at. */
type Place = { readonly findings: readonly Finding[]; readonly hasHost: boolean | null };

/** A running host holds its store: then it is asked, and not the store. */
async function lookAtHostOrStore(place: StorePlace, data: string | undefined): Promise<Place> {
  try {
    const client = new HostClient({ data, onlyHost: true });
    const { brake } = await client.get<StoreBrakeAnswer>("/brake");
    const host = { what: "host", found: `answers at ${client.url}`, remedy: null };
    return { findings: [host, ...lookAtBrake(brake)], hasHost: true };
  } catch (error) {
    if (!(error instanceof HostProblem)) throw error;
    if (error.problem.code !== "HOST_UNREACHABLE") {
      const remedy = error.problem.remedy ?? "See the code.";
      return { findings: [{ what: "host", found: error.message, remedy }], hasHost: true };
    }
  }
  return lookAtStore(place);
}

type Listed<T> = { readonly items: readonly T[]; readonly next?: string | null };
type Wedge = { readonly kind: string; readonly id: string; readonly note: string };

/** What no rule explains; without a host all that is due is late, and that is no fault. */
async function lookAtWedges(data: string | undefined, hasHost: boolean): Promise<Finding> {
  const client = new HostClient({ data, json: true });
  const found: string[] = [];
  let after: string | undefined;
  do {
    const page: Listed<{ workflow: string }> = await client.get("/workflows", { after });
    for (const { workflow } of page.items) {
      const path = `/workflows/${encodeURIComponent(workflow)}/wedges`;
      const { items } = await client.get<Listed<Wedge>>(path);
      const wedges = items.filter(({ kind }) => hasHost || kind !== "overdue");
      found.push(...wedges.map(({ kind, id, note }) => `${workflow}: ${kind} ${id}, ${note}`));
    }
    after = page.next ?? undefined;
  } while (after !== undefined);
  if (found.length === 0) return { what: "wedges", found: "none", remedy: null };
  const remedy = "Nothing moves these by itself: see INVARIANT_BROKEN in docs/errors.";
  return { what: "wedges", found: found.join("; "), remedy };
}

async function lookAtStore(place: StorePlace): Promise<Place> {
  if (place.kind === "folder" && !existsSync(join(place.folder, "holdfast.db"))) {
    const found = "none yet: the first start makes it";
    return { findings: [{ what: "store", found, remedy: null }], hasHost: null };
  }
  try {
    const store = await openExistingStore(place);
    const brake = await store.findStoreBrake();
    await store.close();
    const opens = { what: "store", found: "opens; no host works on it now", remedy: null };
    return { findings: [opens, ...lookAtBrake(brake)], hasHost: false };
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    const remedy = "See its page in docs/errors.";
    return { findings: [{ what: "store", found, remedy }], hasHost: null };
  }
}

/** Whoever wonders why nothing happens is told here, too. */
function lookAtBrake(brake: StoreBrakeAnswer["brake"]): readonly Finding[] {
  if (brake === null) return [];
  const found = `all sending was stopped by ${brake.setBy}: ${brake.reason}`;
  return [{ what: "brake", found, remedy: "`holdfast brake off --all` lets go again." }];
}
