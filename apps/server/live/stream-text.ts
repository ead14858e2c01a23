import type { Changes } from "@holdfast/core";

const eventsPerPiece = 200;
const encoder = new TextEncoder();

/** A browser that was cut off comes back after this time. */
const comeBackMs = 1_000;

export const heartbeat = encoder.encode(":\n\n");

/** From here on it is live; what a resumed stream had missed comes before. */
export function following(cursor: string): Uint8Array {
  return encoder.encode(`retry: ${comeBackMs}\nevent: following\ndata: {}\nid: ${cursor}\n\n`);
}

/**
 * In pieces, so that nothing large waits for one reader. Only the last event has the id: changes of
 * one answer have no order, and who goes on from its cursor must have had all of them.
 */
export function piecesOf({ changed, cursor }: Changes): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let from = 0; from < changed.length; from += eventsPerPiece) {
    const events = changed.slice(from, from + eventsPerPiece);
    const isLast = from + eventsPerPiece >= changed.length;
    const text = events.map((each) => `event: changed\ndata: ${JSON.stringify(each)}\n`);
    pieces.push(encoder.encode(`${text.join("\n")}${isLast ? `id: ${cursor}\n` : ""}\n`));
  }
  return pieces;
}
