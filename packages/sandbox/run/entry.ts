import { contextMembers, permissionOf } from "../capability/table.ts";
import type { PhaseCall } from "./phase.ts";

const membersTexts = new Map<PhaseCall["phase"], string>();

/** Those of a phase are always the same. */
function membersText(phase: PhaseCall["phase"]): string {
  const known = membersTexts.get(phase);
  if (known !== undefined) return known;
  const members = contextMembers.filter((member) => permissionOf(member, phase) !== "no");
  const text = JSON.stringify(members);
  membersTexts.set(phase, text);
  return text;
}

/** What the guest's `enter` reads. The given values are JSON already and go in as they are. */
export function entryText(call: PhaseCall): string {
  const { phase, handler, connections, given, trigger } = call;
  const operations = Object.fromEntries(
    Object.entries(connections).map(([name, of]) => [name, Object.keys(of)]),
  );
  const offer = [
    `"members":${membersText(phase)}`,
    `"connections":${JSON.stringify(operations)}`,
    ...(trigger === undefined ? [] : [`"trigger":${trigger}`]),
  ];
  const values = Object.entries(given).map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  // A step asks for its seed if it needs one.
  const seed = phase === "step" ? {} : { seed: call.seed };
  const head = JSON.stringify({ phase, handler, ...seed, asGlobals: phase === "job" });
  return `${head.slice(0, -1)},"offer":{${offer.join(",")}},"given":{${values.join(",")}}}`;
}
