import type { HostProcess } from "../end-to-end/host-process.ts";

export const path = "/workflows/orders";

type ClosedQuestion = {
  readonly subject: string | null;
  readonly answer: string | null;
  readonly closedAt: number;
};

export function closedQuestions(host: HostProcess) {
  const closed = `${path}/attention?status=closed&limit=500`;
  return host.api<{ readonly items: readonly ClosedQuestion[] }>("GET", closed);
}

export async function wasSaid(host: HostProcess, answer: string): Promise<boolean> {
  const { items } = await closedQuestions(host);
  return items.some((each) => each.answer === answer);
}

/** What was not taken in is said again by whoever looks next. */
export async function give(host: HostProcess, place: string, given: object): Promise<void> {
  await host.api("POST", `${path}${place}`, given).catch(() => {});
}

export const command = (kind: string, body: object = {}) => ({ kind, body });

export async function resumeIfPaused(host: HostProcess): Promise<void> {
  const { status } = await host.api<{ status: string }>("GET", path);
  if (status === "paused") await give(host, "/commands", command("resume_workflow"));
}
