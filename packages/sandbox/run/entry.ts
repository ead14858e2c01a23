import { contextMembers, permissionOf } from "../capability/table.ts";
import type { PhaseCall } from "./phase.ts";

/** What the guest's `enter` reads. The given values are JSON already and go in as they are. */
export function entryText(call: PhaseCall): string {
  const { phase, handler, seed, connections, given, trigger } = call;
  const members = contextMembers.filter((member) => permissionOf(member, phase) !== "no");
  const operations = Object.fromEntries(
    Object.entries(connections).map(([name, of]) => [name, Object.keys(of)]),
  );
  const offer = [
    `"members":${JSON.stringify(members)}`,
    `"connections":${JSON.stringify(operations)}`,
    ...(trigger === undefined ? [] : [`"trigger":${trigger}`]),
  ];
  const values = Object.entries(given).map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  const head = JSON.stringify({ phase, handler, seed, asGlobals: phase === "job" });
  return `${head.slice(0, -1)},"offer":{${offer.join(",")}},"given":{${values.join(",")}}}`;
}
