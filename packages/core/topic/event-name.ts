import type { EventRef } from "./topic-facts.ts";

/** One readable text for an event. The topic's own slashes are escaped, so no two share one. */
export function eventName({ topic, messageId }: EventRef): string {
  return `${topic.replaceAll("%", "%25").replaceAll("/", "%2F")}/${messageId}`;
}
