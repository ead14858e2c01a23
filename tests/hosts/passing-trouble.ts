import { type ErrorCode, HostError } from "@holdfast/core";

/** What a server that goes away and comes back may cause; everything else is a finding. */
const passingCodes: readonly ErrorCode[] = ["STORE_UNREACHABLE", "STORE_BUSY", "STORE_CHANGED"];

/** In words; throws whatever a host should not meet here. */
export function passingTrouble(error: unknown): string {
  if (error instanceof HostError && passingCodes.includes(error.code)) return error.code;
  throw error;
}
