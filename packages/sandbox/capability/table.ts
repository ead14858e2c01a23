import type { OperationKind } from "@holdfast/core";

export type { OperationKind } from "@holdfast/core";

/** Where guest code runs. `item` is inside withItem of a job. */
export const places = ["producer", "prepare", "mutate", "next", "job", "item", "step"] as const;
export type Place = (typeof places)[number];

/** Members of `ctx` besides the connections. */
export const contextMembers = [
  "publish",
  "peek",
  "getByIds",
  "registerInput",
  "kv",
  "withItem",
  "trigger",
  "log",
] as const;
export type ContextMember = (typeof contextMembers)[number];

export type Power = OperationKind | ContextMember;

/**
 * yes; no; once = the call ends the phase and never returns; opt-in = only where the consumer
 * declares `mutateReads: "byId"`, and only before its mutation.
 */
export type Permission = "yes" | "no" | "once" | "opt-in";

type Row = Readonly<Partial<Record<Place, Exclude<Permission, "no">>>>;

/** What is not named in a row is not there. */
const rows: Readonly<Record<Power, Row>> = {
  "read:list": { producer: "yes", prepare: "yes", job: "yes", item: "yes" },
  "read:byId": { producer: "yes", prepare: "yes", mutate: "opt-in", job: "yes", item: "yes" },
  "read:byKey": { producer: "yes", prepare: "yes", mutate: "opt-in", job: "yes", item: "yes" },
  mutation: { mutate: "once", item: "yes" },
  metered: { producer: "yes", prepare: "yes", job: "yes", item: "yes" },
  publish: { producer: "yes", next: "yes", job: "yes", item: "yes" },
  peek: { prepare: "yes" },
  getByIds: { prepare: "yes" },
  registerInput: { producer: "yes" },
  kv: { producer: "yes" },
  withItem: { job: "yes" },
  trigger: { producer: "yes", prepare: "yes", job: "yes", item: "yes" },
  log: {
    producer: "yes",
    prepare: "yes",
    mutate: "yes",
    next: "yes",
    job: "yes",
    item: "yes",
  },
};

export function permissionOf(power: Power, place: Place): Permission {
  return rows[power][place] ?? "no";
}

export function isContextMember(name: string): name is ContextMember {
  return (contextMembers as readonly string[]).includes(name);
}

/** Why a place does without a power, in words for the author. */
const rules: Readonly<Record<Place, string>> = {
  producer: "A producer only reads, registers inputs and publishes.",
  prepare: "prepare only reads and decides; what it returns is pinned before anything happens.",
  mutate: "mutate makes at most one mutation from what prepare returned, and nothing else.",
  next: "next only publishes, from what was prepared and what came of it.",
  job: "A job makes mutations only inside withItem, and sees no topics.",
  item: "Items are not nested, and see no topics.",
  step: "A step computes from its state and event alone; effects are returned, not called.",
};

export function ruleOf(place: Place): string {
  return rules[place];
}
