import type { Witness } from "./explanation.ts";

/** The rows alone. */
export const noWitness: Witness = { stoppedBy: null, skippedBy: new Map(), commandsWaiting: 0 };
