import { arch, availableParallelism, cpus, platform, release, totalmem } from "node:os";
import { median } from "./percentile.ts";
import { timeSyncs } from "./time-syncs.ts";

export type Machine = {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly node: string;
  readonly platform: string;
  /** Of small appends to a file in the bench's folder, each with its own fdatasync. */
  readonly syncsPerSecond: number;
};

const syncCount = 40;
const syncRoundCount = 5;

export function describeMachine(folder: string): Machine {
  const rates = Array.from({ length: syncRoundCount }, () => {
    const { count, ms } = timeSyncs(folder, { syncCount, preallocated: false });
    return (count * 1_000) / ms;
  });
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    node: process.version,
    platform: `${platform()} ${release()} ${arch()}`,
    syncsPerSecond: Math.round(median(rates)),
  };
}

export function machineText(machine: Machine): string {
  const { cpu, cores, memoryBytes, node, platform: system, syncsPerSecond } = machine;
  const gib = (memoryBytes / 2 ** 30).toFixed(1);
  return `${cpu}, ${cores} cores, ${gib} GiB, ${system}, Node ${node}, ${syncsPerSecond} syncs/s`;
}
