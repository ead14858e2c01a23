import type { TopicsAnswer } from "@holdfast/protocol";
import { Command } from "commander";
import { asking } from "../asking.ts";
import { example, group, onHost } from "../group.ts";
import { HostClient } from "../host-client.ts";
import { print, table } from "../print.ts";
import { showing } from "../showing.ts";

type Options = { readonly data?: string; readonly json: boolean };

export function topicsCommand(): Command {
  return group("topics", [
    listCommand(),
    showing("show", "one topic, with its schema", {
      words: ["<topic>"],
      path: ([topic]) => `/topics/${topic}`,
      example: "topics show orders order.received",
    }),
    asking("reset", "make every event of a topic pending again", {
      kind: "reset_topic",
      words: ["<topic>"],
      body: ([topic = ""]) => ({ topic }),
      example: "topics reset orders order.received",
    }),
  ]);
}

function listCommand(): Command {
  const description = "topics, who works them off and how much waits";
  const command = onHost(new Command("ls").description(description).argument("<workflow>"));
  command.action(async (workflow: string, options: Options) => {
    const path = `/workflows/${encodeURIComponent(workflow)}/topics`;
    const answer = await new HostClient(options).get<TopicsAnswer>(path);
    print(options.json, answer, () => {
      const rows = answer.items.map(({ topic, subscriber, observed, declared, pending }) => [
        topic,
        subscriber ?? (observed ? "(seen from outside)" : "–"),
        `${pending.count}${pending.isMore ? "+" : ""}`,
        declared ? "" : "no longer declared",
      ]);
      return table(["topic", "worked off by", "pending", ""], rows);
    });
  });
  return example(command, "topics ls orders");
}
