import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { HostProcess, type StartOptions } from "../end-to-end/host-process.ts";
import type { Mood, OrderShop } from "../end-to-end/order-shop.ts";
import { patiently } from "../end-to-end/patient-connector.ts";
import {
  deployOrders,
  itemScript,
  machineScript,
  publishOrder,
  publishOrders,
  script,
} from "../end-to-end/story.ts";
import {
  type AnswerCourse,
  areSettled,
  asksFirst,
  isAnswerCourse,
  isOver,
  sayFirst,
  sayOwn,
  sayUnasked,
} from "./answers.ts";
import { binScript, fillBins, pieceProblems, piecesPolicy } from "./bins.ts";
import type { GuardName } from "./broken-guards.ts";
import { furtherCourse } from "./further-answers.ts";
import { isUpgrading, upgrade } from "./upgrade.ts";

/** Short, so that a trial takes seconds; the order between them is that of the defaults. */
export const leaseMs = 1_500;
/** For lives that nobody takes over: a busy machine does not end them. */
export const longLeaseMs = 60_000;
const policyFile = fileURLToPath(new URL("./policy.json", import.meta.url));
const times = {
  HOLDFAST_LEASE_MS: String(leaseMs),
  HOLDFAST_PAUSE_MS: "400",
  HOLDFAST_POLICY: policyFile,
} as const;
export const answerTimeoutMs = 400;
/** How a host ends whose lease ran out; a busy machine may do that to it several times. */
export const [lostLease, livesMax] = [4, 5] as const;

/** What the shop offers to who lost an answer: nothing, a look, or telling repeats by key. */
export type Manner = "asks you" | "verified" | "by key";

export function accountOf(manner: Manner, course: string): object {
  const further = furtherCourse(course);
  if (further?.isPatient) return { connector: "patient" };
  return { ...accountIn(further?.isFoundOut ? "verified" : manner), ...further?.account };
}

/** What the environment says of a course's own policy; nothing where it has none. */
export function policyOf(folder: string, course: string): { readonly HOLDFAST_POLICY?: string } {
  const own = furtherCourse(course)?.policy;
  if (own === undefined) return {};
  const { all } = JSON.parse(readFileSync(policyFile, "utf8")) as { all: object };
  const path = join(folder, "policy.json");
  writeFileSync(path, JSON.stringify({ all: { ...all, ...own } }));
  return { HOLDFAST_POLICY: path };
}

function accountIn(manner: Manner): object {
  const timeoutMs = answerTimeoutMs;
  if (manner === "asks you") return { timeoutMs };
  if (manner === "by key") {
    return { timeoutMs, idempotency: { header: "Idempotency-Key", retentionMs: 3_600_000 } };
  }
  const lookup = {
    path: "/orders",
    query: { ref: "{key}" },
    sentAs: { field: "ref" },
    match: { "/ref": "{key}" },
    body: { number: "/number" },
    status: 200,
    visibilityDelayMs: 100,
  };
  return { timeoutMs, lookup };
}

/**
 * Whether a person has to agree to a call, and whether they change it first; or a job works the
 * orders off, with an item of three calls for each; or a machine does, with a timer and a call, and
 * then snapshots are taken, parts collected and another version applied. `pieces`: the same beside
 * so many cells that a snapshot is kept in pieces.
 */
export type Course =
  | "allowed"
  | "approved"
  | "edited"
  | "items"
  | "machines"
  | "pieces"
  | AnswerCourse;

export function hasMachines(course: Course): course is "machines" | "pieces" {
  return course === "machines" || course === "pieces";
}

/** Absent = it is no machine that works. */
const scripts: Readonly<Partial<Record<Course, string>>> = {
  items: itemScript,
  machines: machineScript,
  pieces: binScript,
};

/** What works the orders off. */
export function workOf(course: Course): "consumer" | "items" | "machines" {
  if (hasMachines(course)) return "machines";
  if (course === "items") return course;
  return furtherCourse(course)?.work?.kind ?? "consumer";
}

/** What has to reach the shop for an order. */
export function bookingsOf(course: Course, id: string): readonly string[] {
  return workOf(course) === "items" ? [1, 2, 3].map((no) => `${id}/${no}`) : [id];
}

/** How often the shop may hear of a booking. */
export function timesOf(course: Course, booking: string): number {
  if (course === "rejected") return 0;
  return furtherCourse(course)?.times?.(booking) ?? 1;
}

/** What a person makes of the sum that the script asks for. */
const editedSum = 4;
const askedSum = 5;

/** What the shop may hear of, and nothing else. */
export function agreedSum(course: Course): number {
  return course === "edited" ? editedSum : askedSum;
}

const hook = new URL("./boundary-hook.ts", import.meta.url).href;
const breaker = new URL("./break-source.ts", import.meta.url).href;
/** It is not the machine that is tried: whoever waits in vain here has found something. */
const patienceMs = 180_000;

/** Where the process is to get its signal, and what was taken out of its sources. */
export type Armed = {
  readonly log: string;
  readonly boundary?: string;
  readonly signal?: "SIGKILL" | "SIGSTOP";
  readonly brokenGuard?: GuardName;
  readonly leaseMs?: number;
  /** Of pieces, unless it is told: they have a policy under which there are some. */
  readonly course?: Course;
};

/** Options may bring an environment of their own, such as another policy. */
export function startHost(options: StartOptions, armed: Armed | null = null): HostProcess {
  const { environment: own = {} } = options;
  if (armed === null) {
    const environment = { ...times, HOLDFAST_LEASE_MS: String(longLeaseMs), ...own };
    return new HostProcess({ ...options, environment });
  }
  const { log, boundary = "", signal = "", brokenGuard, leaseMs: ownLeaseMs = leaseMs } = armed;
  const ofPieces = armed.course === "pieces" ? { HOLDFAST_POLICY: piecesPolicy } : {};
  const isBroken = brokenGuard !== undefined;
  return new HostProcess({
    ...options,
    imports: [hook, ...(isBroken ? [breaker] : [])],
    fromSources: isBroken,
    environment: {
      ...times,
      ...ofPieces,
      HOLDFAST_LEASE_MS: String(ownLeaseMs),
      HOLDFAST_BOUNDARY_LOG: log,
      HOLDFAST_BOUNDARY: boundary,
      HOLDFAST_BOUNDARY_SIGNAL: signal,
      HOLDFAST_BROKEN_GUARD: brokenGuard ?? "",
      ...own,
    },
  });
}

export function boundariesIn(log: string): readonly string[] {
  return existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];
}

export async function deployFor(host: HostProcess, course: Course): Promise<void> {
  if (hasMachines(course) && (await isUpgrading(host))) return;
  const isAsked = asksFirst(course);
  const used = callsOf(course);
  await deployOrders(host, isAsked ? [] : used, isAsked ? used : [], scriptOf(course));
}

function callsOf(course: Course): readonly string[] {
  if (course === "pieces") return ["shop.post", "shop.get"];
  return furtherCourse(course)?.work?.allow ?? ["shop.post"];
}

function scriptOf(course: Course): string {
  const further = furtherCourse(course);
  const own = scripts[course] ?? further?.work?.script;
  return own ?? (further?.isPatient ? patiently(script) : script);
}

/** What a person did not see done, they do again; under the same names, so it is done once. */
export async function askForOrders(
  host: HostProcess,
  ids: readonly string[],
  course: Course = "allowed",
  shop: OrderShop | null = null,
): Promise<void> {
  await sayFirst(host, course);
  if (course === "pieces" && shop !== null) {
    const isFirst = ids.length === 1;
    const problems = pieceProblems(await fillBins(host, shop));
    // Whoever comes later goes on with a few of the fillings.
    if (isFirst && problems.length > 0) throw new Error(problems.join("; "));
  }
  if (workOf(course) !== "machines") return publishOrders(host, ids);
  await Promise.all(ids.map((id) => publishOrder(host, id, { id, sum: askedSum })));
}

type Question = {
  readonly attentionId: string;
  readonly kind: string;
  readonly note: string;
  readonly subject: string | null;
  readonly call: {
    readonly params: { readonly body: { readonly id: string; readonly sum: number } };
    readonly approval: { readonly payloadHash: string; readonly previewHash: string } | null;
  } | null;
};
type Items<T> = { readonly items: readonly T[] };

/** Answers what is asked, truly, until every order is booked or it takes too long. */
export async function workOff(
  host: HostProcess,
  shop: OrderShop,
  ids: readonly string[],
  course: Course = "allowed",
): Promise<void> {
  const until = performance.now() + patienceMs;
  while (performance.now() < until) {
    if ((await isDone(host, ids, course)) && (await isOver({ host, shop }, course))) {
      if (hasMachines(course)) await upgrade(host, scripts[course] ?? "");
      return;
    }
    const open = await host.api<Items<Question>>("GET", "/workflows/orders/attention?status=open");
    for (const question of open.items) {
      if (await sayOwn({ host, shop }, course, question)) continue;
      if (question.kind === "approval") await agree(host, question, course);
      else await answer(host, shop, question);
    }
    await sayUnasked({ host, shop }, course);
    await new Promise((resume) => setTimeout(resume, 20));
  }
  const why = await host.holdfast("why", "orders");
  throw new Error(`not done after ${patienceMs} ms: ${why.out}\n${host.output.join("")}`);
}

async function isDone(host: HostProcess, ids: readonly string[], course: Course): Promise<boolean> {
  const count = ids.length;
  if (workOf(course) === "machines") {
    const path = "/workflows/orders/machines/cells?machine=order";
    const cells = await host.api<Items<{ status: string }>>("GET", path);
    return cells.items.filter(({ status }) => status === "completed").length >= count;
  }
  if (!(isAnswerCourse(course) ? await areSettled(host, ids) : await areTold(host, count))) {
    return false;
  }
  const runs = await host.api<Items<unknown>>("GET", "/workflows/orders/runs?status=open");
  return runs.items.length === 0;
}

/** Of every booking an event tells. */
async function areTold(host: HostProcess, count: number): Promise<boolean> {
  const told = "/workflows/orders/outputs?status=event";
  const { items } = await host.api<Items<{ messageId: string }>>("GET", told);
  return items.length >= count;
}

/** To what is shown, once it is what they want; what was not taken in is said again. */
async function agree(host: HostProcess, question: Question, course: Course): Promise<void> {
  const path = `/workflows/orders/attention/${question.attentionId}`;
  const { params, approval } = question.call ?? {};
  if (params === undefined || !approval) return;
  const { payloadHash, previewHash } = approval;
  const sum = agreedSum(course);
  if (params.body.sum === sum) {
    await host.api("POST", path, { answer: "approve", payloadHash, previewHash }).catch(() => {});
    return;
  }
  const edited = { ...params, body: { ...params.body, sum } };
  await host.api("POST", `${path}/edit`, { params: edited, payloadHash }).catch(() => {});
}

/** A person looks at the shop and says what they see there. */
async function answer(host: HostProcess, shop: OrderShop, question: Question): Promise<void> {
  const path = `/workflows/orders/attention/${question.attentionId}`;
  const id = question.call?.params.body.id ?? "";
  const given =
    question.kind === "outcome_unknown"
      ? shop.counts.has(id)
        ? { answer: "happened", result: { status: 200, body: { number: 1 } } }
        : { answer: "did_not_happen" }
      : { answer: question.kind === "run_failed" ? "retry" : "resume" };
  // Too early while another process may still be sending: asked again, it is answered again.
  await host.api("POST", path, given).catch(() => {});
}

/** The first request meets the mood, or the first few; all others are answered. */
export function firstMeets(mood: Mood, course: string): () => Mood {
  let left = furtherCourse(course)?.meets ?? 1;
  return () => {
    left -= 1;
    return left >= 0 ? mood : "answers";
  };
}
