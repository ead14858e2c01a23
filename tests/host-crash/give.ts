import type { HostProcess } from "../end-to-end/host-process.ts";

export const path = "/workflows/orders";

type Closed = { readonly items: readonly { readonly answer: string | null }[] };

export async function wasSaid(host: HostProcess, answer: string): Promise<boolean> {
  const closed = await host.api<Closed>("GET", `${path}/attention?status=closed&limit=500`);
  return closed.items.some((each) => each.answer === answer);
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
