/** Courses for a job that makes its first call otherwise when it runs again. */
import { itemScript } from "../end-to-end/story.ts";
import type { FurtherCourse } from "./further-answers.ts";
import { give, path, wasSaid } from "./give.ts";
import { order } from "./order-ids.ts";

/** It looks whether the order is there, so that its own call changes what it asks for. */
const differing = itemScript
  .replace(
    "const first =",
    `const there = await ctx.shop.get({ path, query: { ref: id } });
          const sum = payload.sum + there.body.length;
          const first =`,
  )
  .replace("sum: payload.sum }", "sum, ref: id }");

type Shown = { readonly proposed: { readonly payloadHash: string } | null };

const notDone = { answer: "did_not_happen" };

/** There is one of the first attempt: only another is of the second. */
const sayOfSecond: FurtherCourse["say"] = async ({ host, shop, asked }) => {
  const id = asked.call?.params.body.id ?? "";
  const isOwn = asked.kind === "outcome_unknown" && id === `${order}/1`;
  if (!isOwn || !(await wasSaid(host, "reprocess"))) return false;
  const isThere = (shop.counts.get(id) ?? 0) > 1;
  const happened = { answer: "happened", result: { status: 200, body: { number: 1 } } };
  await give(host, `/attention/${asked.attentionId}`, isThere ? happened : notDone);
  return true;
};
/** Once; asked again, what was done counts. */
function differs(said: "accept_cached" | "reprocess" | "skip"): FurtherCourse["say"] {
  return async ({ host, asked }) => {
    if (asked.kind !== "payload_differs") return false;
    const place = `/attention/${asked.attentionId}`;
    const isOwn = asked.call?.params.body.id === `${order}/1`;
    if (isOwn && said !== "accept_cached" && !(await wasSaid(host, said))) {
      await give(host, place, { answer: said });
      return true;
    }
    const { proposed } = await host.api<Shown>("GET", `${path}${place}`);
    const payloadHash = proposed?.payloadHash ?? "";
    await give(host, place, { answer: "accept_cached", payloadHash });
    return true;
  };
}

const differed = {
  mood: "drops the answer",
  work: { kind: "items", script: differing, allow: ["shop.post", "shop.get"] },
} as const;

export const itemCourses = {
  "differs, accepted": {
    ...differed,
    commit: 10,
    say: differs("accept_cached"),
    isOver: ({ host }) => wasSaid(host, "accept_cached"),
  },
  /** The first call is made in both attempts, the others in the second. */
  "differs, done anew": {
    ...differed,
    commit: 10,
    say: async (said) => (await sayOfSecond(said)) || differs("reprocess")(said),
    times: (booking) => (booking === `${order}/1` ? 2 : 1),
  },
  /** What was done stays done, and no more is. */
  "differs, skipped": {
    ...differed,
    commit: 10,
    say: differs("skip"),
    times: (booking) => (/^o-1\/[23]$/.test(booking) ? 0 : 1),
  },
} as const satisfies Readonly<Record<string, FurtherCourse>>;
