/** Courses for a machine: a cell that stops on what it was sent, and a call that is taken back. */
import type { HostProcess } from "../end-to-end/host-process.ts";
import { machineScript, publishOrder } from "../end-to-end/story.ts";
import type { FurtherCourse } from "./further-answers.ts";
import { command, give, wasSaid } from "./give.ts";
import { order } from "./order-ids.ts";

/** An order of nothing is more than it can bear. */
const fragile = machineScript.replace(
  "step(before, event, ctx) {",
  `$&
        const isOfNothing = event.$tag === "Placed" && Number(event.$value.sum) === 0;
        if (isOfNothing) throw new Error("of nothing");`,
);

/** Before the order itself, which waits in the same mailbox. */
async function poison(host: HostProcess): Promise<void> {
  await publishOrder(host, "poison", { id: order, sum: 0 }).catch(() => {});
}

/** Delivered again it stops again, and is dropped then. */
function poisoned(first: "redeliver" | "drop"): FurtherCourse["say"] {
  return async ({ host, asked }) => {
    if (asked.kind !== "action_needed") return false;
    const answer = (await wasSaid(host, first)) ? "drop" : first;
    await give(host, `/attention/${asked.attentionId}`, { answer });
    return true;
  };
}

function stopped(first: "redeliver" | "drop") {
  return {
    mood: "answers",
    work: { kind: "machines", script: fragile },
    commit: 8,
    sayFirst: poison,
    say: poisoned(first),
    isOver: ({ host }) => wasSaid(host, first),
  } as const satisfies FurtherCourse;
}

export const machineCourses = {
  "poisoned, dropped": stopped("drop"),
  "poisoned, redelivered": stopped("redeliver"),
  /** A brake holds the call; the step asks for it again, and the brake is released. */
  "held, canceled": {
    mood: "answers",
    work: { kind: "machines", script: machineScript },
    commit: 8,
    sayFirst: async (host) => {
      if (await wasSaid(host, "released")) return;
      const brake = { operation: "shop.post", reason: "a look first" };
      await give(host, "/commands", command("set_brake", brake));
    },
    say: async ({ host, asked }) => {
      if (asked.kind !== "action_needed") return false;
      if (await wasSaid(host, "withdrawn")) {
        await give(host, "/commands", command("release_brake", { operation: "shop.post" }));
      } else await give(host, `/attention/${asked.attentionId}`, { answer: "cancel" });
      return true;
    },
    isOver: ({ host }) => wasSaid(host, "withdrawn"),
  },
} as const satisfies Readonly<Record<string, FurtherCourse>>;
