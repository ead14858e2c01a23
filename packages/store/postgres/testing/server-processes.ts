import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { platform } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

const pollMs = 5;

type ProcessLine = { readonly pid: number; readonly parent: number; readonly isDead: boolean };

/** All that the postmaster has forked; a server's processes are all its direct children. */
export function listChildren(postmaster: number): number[] {
  return listProcesses()
    .filter(({ parent, isDead }) => parent === postmaster && !isDead)
    .map(({ pid }) => pid);
}

/** A process that nobody has reaped yet does nothing more and holds nothing: it is not alive. */
export function listAlive(pids: readonly number[]): number[] {
  return listProcesses()
    .filter(({ pid, isDead }) => pids.includes(pid) && !isDead)
    .map(({ pid }) => pid);
}

/** Answers with the children. */
export function freeze(postmaster: number): number[] {
  sendSignal(postmaster, "SIGSTOP");
  // The signal may come in the midst of a fork.
  for (let known = -1; ; ) {
    const children = listChildren(postmaster);
    if (children.length === known) return children;
    for (const pid of children) sendSignal(pid, "SIGSTOP");
    known = children.length;
  }
}

function listProcesses(): ProcessLine[] {
  return platform() === "linux" ? readProc() : readPs();
}

/** Not every Linux has ps. */
function readProc(): ProcessLine[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const text = readFileSync(`/proc/${name}/stat`, "utf8");
      // The name in parentheses may hold anything; what follows the last one is regular.
      const [state = "", parent = ""] = text.slice(text.lastIndexOf(")") + 2).split(" ");
      return [{ pid: Number(name), parent: Number(parent), isDead: /[ZX]/.test(state) }];
    } catch {
      return []; // it ended meanwhile
    }
  });
}

function readPs(): ProcessLine[] {
  const text = execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat="], { encoding: "utf8" });
  return text.split("\n").flatMap((line) => {
    const [, pid, parent, state] = /^\s*(\d+)\s+(\d+)\s+(\S+)/.exec(line) ?? [];
    if (pid === undefined || state === undefined) return [];
    return [{ pid: Number(pid), parent: Number(parent), isDead: state.startsWith("Z") }];
  });
}

/** A process that is gone already has got what the signal was for. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** False = it did not come true in time. */
export async function waitUntil(isTrue: () => boolean, msMax: number): Promise<boolean> {
  const endsAt = performance.now() + msMax;
  while (!isTrue()) {
    if (performance.now() > endsAt) return false;
    await sleep(pollMs);
  }
  return true;
}
