import type { BrakeAllAnswer } from "@holdfast/protocol";
import { Command } from "commander";
import { HostClient } from "../host-client.ts";
import { print } from "../print.ts";

type Options = { readonly data?: string; readonly json: boolean; readonly reason?: string };

export function brakeAllCommands(): readonly Command[] {
  return [
    command("brake-all", "stop all sending of every workflow", true).option(
      "--reason <text>",
      "why, for whoever finds it",
    ),
    command("release-brake-all", "undo brake-all; other brakes stay", false),
  ];
}

function command(name: string, description: string, isOn: boolean): Command {
  return new Command(name)
    .description(description)
    .option("--data <folder>", "data folder of the running host")
    .option("--json", "one line of JSON", false)
    .action(async ({ data, json, reason }: Options) => {
      const given = { isOn, ...(reason === undefined ? {} : { reason }) };
      const answer = await new HostClient({ data }).post<BrakeAllAnswer>("/brake", given);
      print(json, answer, () => shown(answer, isOn));
    });
}

function shown({ changed, unchanged, waiting }: BrakeAllAnswer, isOn: boolean): string {
  const words = isOn ? "on" : "off";
  const rest = waiting === 0 ? "" : ` ${waiting} have it in their inbox and follow soon.`;
  return `The brake is ${words}: ${changed} workflows now, ${unchanged} before.${rest}`;
}
