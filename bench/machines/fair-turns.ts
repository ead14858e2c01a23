import { join } from "node:path";
import type { BenchContext, Measured } from "../harness/bench.ts";
import { type CountingScript, MachineWorld } from "./machine-world.ts";

const queuedCount = 1_000;

/** How many steps of a cell that has a thousand events waiting come before one of another cell. */
export async function measureFairness(
  { folder }: BenchContext,
  script: CountingScript,
): Promise<readonly Measured[]> {
  const world = await MachineWorld.open(join(folder, "fair"), script);
  const busy = { machine: "cells", key: "busy" };
  await world.send({ ...busy, id: "poison" });
  for (let at = 0; at < queuedCount; at++) await world.send({ ...busy, id: `order-${at}` });
  await world.work();
  const before = (await world.records(0)).length;
  await world.restart("cells", "busy");
  await world.send({ machine: "cells", key: "other", id: "order" });
  await world.work();
  const records = await world.records(before);
  await world.close();
  const came = records.findIndex(({ kind }) => kind === "domain_event");
  const isOthers = (cause: unknown) => cause === before + 1 + came;
  const stepped = records.findIndex(({ kind, cause }) => kind === "step" && isOthers(cause));
  const all = records.filter(({ kind }) => kind === "step").length;
  if (came === -1 || stepped === -1 || all !== queuedCount + 1) throw new Error("not as meant");
  const between = records.slice(came, stepped).filter(({ kind }) => kind === "step").length;
  const metric = `steps that a cell with ${queuedCount} events puts before another's`;
  const against = "one step";
  return [
    {
      metric,
      value: between,
      unit: "steps",
      reference: 1,
      against,
      ratio: between,
      must: { atMost: 1 },
    },
  ];
}
