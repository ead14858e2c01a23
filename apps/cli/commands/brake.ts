import type { BrakeAllAnswer } from "@holdfast/protocol";
import { Command } from "commander";
import { ask, common } from "../asking.ts";
import { example } from "../group.ts";
import { HostClient } from "../host-client.ts";
import { print } from "../print.ts";
import { UsageError } from "../store-place.ts";

type Options = {
  readonly data?: string;
  readonly json: boolean;
  readonly all: boolean;
  readonly reason?: string;
};

/** To stop is easier than to let go: an operator sets a brake, an admin releases it. */
export function brakeCommand(): Command {
  return new Command("brake")
    .addCommand(
      example(
        turning("on", "stop all sending of a workflow, of one operation of it, or of all").option(
          "--reason <text>",
          "why, for whoever finds it",
        ),
        "brake on orders",
        "brake on orders shop.post --reason 'the shop looks wrong'",
        "brake on --all",
      ),
    )
    .addCommand(
      example(
        turning("off", "let go again; a brake on one operation stays, and so does one on all"),
        "brake off orders",
        "brake off --all",
      ),
    );
}

function turning(name: "on" | "off", description: string): Command {
  return common(
    new Command(name)
      .description(description)
      .argument("[workflow]")
      .argument("[operation]", "such as shop.post")
      .option("--all", "of every workflow", false),
  ).action(
    async (workflow: string | undefined, operation: string | undefined, options: Options) => {
      const isOn = name === "on";
      if (options.all === (workflow !== undefined)) {
        throw new UsageError("name a workflow, or say --all.");
      }
      if (workflow === undefined) return turnAll(isOn, options);
      await turnOne(workflow, { isOn, operation: operation ?? "*" }, options);
    },
  );
}

async function turnOne(
  workflow: string,
  { isOn, operation }: { readonly isOn: boolean; readonly operation: string },
  options: Options,
): Promise<void> {
  const reason = options.reason ?? "set by hand";
  const command = isOn
    ? { kind: "set_brake", body: { operation, reason } }
    : { kind: "release_brake", body: { operation } };
  await ask(workflow, command, options);
}

async function turnAll(isOn: boolean, { data, json, reason }: Options): Promise<void> {
  const given = { isOn, ...(reason === undefined ? {} : { reason }) };
  const answer = await new HostClient({ data }).post<BrakeAllAnswer>("/brake", given);
  print(json, answer, () => shown(answer, isOn));
}

function shown({ changed, unchanged, waiting }: BrakeAllAnswer, isOn: boolean): string {
  const words = isOn ? "on" : "off";
  const rest = waiting === 0 ? "" : ` ${waiting} have it in their inbox and follow soon.`;
  return `The brake is ${words}: ${changed} workflows now, ${unchanged} before.${rest}`;
}
