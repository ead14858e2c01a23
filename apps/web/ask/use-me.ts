import type { AskerAnswer, Role } from "@holdfast/protocol";
import { useAsk } from "./asked.ts";

const reach: Readonly<Record<Role, number>> = { executor: -1, viewer: 0, operator: 1, admin: 2 };

/** Null = it is not known yet. */
export function useMay(least: Role): boolean | null {
  const { data } = useAsk<AskerAnswer>("/me");
  return data === undefined ? null : reach[data.role] >= reach[least];
}
