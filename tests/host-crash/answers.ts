/** What a person says in the courses that are about one answer; torn off anywhere, said again. */
import type { HostProcess } from "../end-to-end/host-process.ts";
import type { Mood } from "../end-to-end/order-shop.ts";
import {
  type Asked,
  type FurtherName,
  furtherCourse,
  furtherCourses,
  type Place,
} from "./further-answers.ts";
import { command, give, path, resumeIfPaused, wasSaid } from "./give.ts";

/**
 * `rejected`: the call is refused, and the order goes on without it. `stopped`: refused, with the
 * workflow paused; resumed, and agreed to when it is asked again. `skipped`: a call of which
 * nobody knows is left at that. `braked`: held, and let go. `granted`: other grants while it waits.
 */
const plainCourses = ["rejected", "stopped", "skipped", "braked", "granted"] as const;
type PlainCourse = (typeof plainCourses)[number];
export type AnswerCourse = PlainCourse | FurtherName;
export const answerCourses: readonly AnswerCourse[] = [
  ...plainCourses,
  ...(Object.keys(furtherCourses) as FurtherName[]),
];

export function isAnswerCourse(course: string): course is AnswerCourse {
  return (answerCourses as readonly string[]).includes(course);
}

/** What the shop does with the first request; of the call that is skipped nobody knows. */
export function moodOf(course: AnswerCourse): Mood {
  return furtherCourse(course)?.mood ?? (course === "skipped" ? "drops the answer" : "answers");
}

/** Those in which a person has to agree. */
export function asksFirst(course: string): boolean {
  const isFurther = furtherCourse(course)?.asksFirst ?? false;
  return isFurther || ["approved", "edited", "rejected", "stopped", "granted"].includes(course);
}

/** Before the orders are there. */
export async function sayFirst(host: HostProcess, course: string): Promise<void> {
  await furtherCourse(course)?.sayFirst?.(host);
  if (course !== "braked" || (await wasSaid(host, "released"))) return;
  const brake = { operation: "*", reason: "a look first" };
  await give(host, "/commands", command("set_brake", brake));
}

/** True = that was the course's own answer; else the question is answered as always. */
export async function sayOwn(
  { host, shop }: Place,
  course: string,
  asked: Asked,
): Promise<boolean> {
  const further = furtherCourse(course);
  if (further !== null) return further.say({ host, shop, asked });
  const place = `/attention/${asked.attentionId}`;
  const reject = (then: string) => ({ answer: "reject", reason: "not this one", then });
  if (course === "rejected" && asked.kind === "approval") {
    await give(host, place, reject("skip"));
    return true;
  }
  if (course === "stopped" && asked.kind === "approval" && !(await wasSaid(host, "reject"))) {
    await give(host, place, reject("stop"));
    return true;
  }
  if (course === "skipped" && asked.kind === "outcome_unknown") {
    await give(host, place, { answer: "skip" });
    return true;
  }
  if (course === "braked" && asked.kind === "action_needed") {
    await give(host, "/commands", command("release_brake", { operation: "*" }));
    return true;
  }
  if (course === "granted" && asked.kind === "approval") return grantAnew(host);
  return false;
}

/** Twice the same list is the same envelope. */
async function grantAnew(host: HostProcess): Promise<boolean> {
  const { number } = await host.api<{ number: number }>("GET", `${path}/grants`);
  if (number > 1) return false;
  const grants = [{ operation: "shop.post", say: "ask", where: [{ at: "/body/sum", max: 100 }] }];
  await give(host, "/grants", { grants });
  return true;
}

/** What no question asks for. */
export async function sayUnasked(place: Place, course: string): Promise<void> {
  const further = furtherCourse(course);
  if (course === "stopped" || further !== null) await resumeIfPaused(place.host);
  await further?.sayUnasked?.(place);
}

/** Whether everything was said that the course is about. */
export async function isOver(place: Place, course: string): Promise<boolean> {
  return (await furtherCourse(course)?.isOver?.(place)) ?? true;
}

/** Whether nothing is left to do for orders that end without a booking of their own. */
export async function areSettled(host: HostProcess, ids: readonly string[]): Promise<boolean> {
  const statuses = await Promise.all(
    ids.map(async (id) => {
      const event = await host.api<{ status: string }>(
        "GET",
        `${path}/events/order.received/${id}`,
      );
      return event.status;
    }),
  );
  return statuses.every((status) => status === "skipped" || status === "consumed");
}

/** The commit by which the owner takes the answer in; deploying and ordering are three before. */
const ownCommit: Readonly<Record<PlainCourse, number>> = {
  braked: 3,
  rejected: 5,
  stopped: 5,
  granted: 5,
  skipped: 6,
};

/** From the answer on: what comes before is the same in every course. */
export function fromAnswer(course: AnswerCourse, boundaries: readonly string[]): readonly string[] {
  const commit = furtherCourse(course)?.commit ?? ownCommit[course as PlainCourse];
  const from = boundaries.indexOf(`before store.commit #${commit}`);
  if (from < 0) throw new Error(`a life that is ${course} has no answer`);
  return boundaries.slice(from);
}
