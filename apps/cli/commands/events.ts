import type { Command } from "commander";
import { asking, type Body, parsed } from "../asking.ts";
import { group } from "../group.ts";
import { field, inputsOf, listing, time } from "../listing.ts";
import { showing } from "../showing.ts";

const words = ["<topic>", "<messageId>"] as const;

function eventOf([topic = "", messageId = ""]: readonly string[]): Body {
  return { topic, messageId };
}

export function eventsCommand(): Command {
  return group("events", [
    listing("ls", "events, the newest first", {
      path: "events",
      statuses: "pending, reserved, consumed, skipped",
      isNarrowed: true,
      words: { topic: "of this topic" },
      columns: [
        time("published", "publishedAt"),
        field("status", "status"),
        field("topic", "topic"),
        field("event", "messageId"),
        field("title", "title"),
        ["because of", inputsOf],
      ],
      examples: ["events ls orders --topic order.received --status pending", "events orders"],
    }),
    showing("show", "one event, with its payload and every run that held it", {
      words,
      path: ([topic, messageId]) => `/events/${topic}/${messageId}`,
      example: "events show orders order.received o-1",
    }),
    publishCommand("publish"),
    asking("skip", "take an event out of the work", {
      kind: "skip_event",
      words,
      body: eventOf,
      example: "events skip orders order.received o-1",
    }),
    asking("reprocess", "work an event off once more", {
      kind: "reprocess_event",
      words,
      body: eventOf,
      example: "events reprocess orders order.received o-1",
    }),
  ]);
}

/** Also by its short name: it is what people type first. */
export function publishCommand(name: "publish" = "publish"): Command {
  return asking(name, "add an event by hand", {
    kind: "publish_event",
    words: [...words, "<payload>"],
    body: ([topic = "", messageId = "", payload], { title }) => ({
      topic,
      messageId,
      payload: parsed(payload, "the payload") ?? null,
      title: title ?? null,
    }),
    example: `publish orders order.received o-1 '{"sum":12}' --title "Order 1"`,
  }).option("--title <title>", "what the event is to a person");
}
