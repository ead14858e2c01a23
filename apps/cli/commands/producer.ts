import { Command } from "commander";
import { asking } from "../asking.ts";

export function producerCommand(): Command {
  return new Command("producer").addCommand(
    asking("reset", "let a producer forget what it knows", {
      kind: "reset_producer",
      words: ["<producer>"],
      body: ([handler = ""]) => ({ handler }),
      example: "producer reset orders poll",
    }),
  );
}
