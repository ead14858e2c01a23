import { isContextMember } from "../../capability/table.ts";

/** Names on ctx that are the host's; every other one is a connection. */
export function isReservedMember(name: string): boolean {
  return isContextMember(name) || name === "item" || name === "ctx";
}
