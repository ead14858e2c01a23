import { Command } from "commander";
import { DeployOnSave } from "../dev/deploy-on-save.ts";
import { HostChild } from "../host-child.ts";
import { HostClient } from "../host-client.ts";
import { UsageError } from "../store-place.ts";
import { applyConfig } from "../with-config.ts";

export function devCommand(): Command {
  return new Command("dev")
    .argument("[file...]", "scripts; if none is named, those under `workflows` in the config file")
    .option("--data <folder>", "data folder of a store on SQLite")
    .addHelpText("after", "\nExample:\n  holdfast dev orders.ts")
    .action(run);
}

async function run(named: readonly string[], { data }: { data?: string }): Promise<void> {
  if (data !== undefined) {
    process.env["HOLDFAST_DATA"] = data;
    process.env["HOLDFAST_POSTGRES_URL"] = "";
  }
  const workflows = (await applyConfig())?.workflows ?? {};
  const files = named.length > 0 ? named : Object.keys(workflows);
  if (files.length === 0) {
    throw new UsageError(
      "no script is named: name one, or list them under `workflows` in holdfast.config.ts. " +
        "`holdfast init` makes a folder that has all of it.",
    );
  }
  if (process.env["HOLDFAST_POSTGRES_URL"]) {
    throw new UsageError(
      "dev works on SQLite, and the store is on PostgreSQL. Name a folder with --data, or use " +
        "`holdfast start` and `holdfast deploy`.",
    );
  }
  const host = new HostChild(process.env, (text) => process.stdout.write(text));
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.once(name, () => {
      stop.abort();
      host.kill("SIGTERM");
    });
  }
  const watched: DeployOnSave[] = [];
  if ((await host.url) !== null) {
    const client = new HostClient({
      data: process.env["HOLDFAST_DATA"] || undefined,
      onlyHost: true,
    });
    for (const file of files) {
      const script = new DeployOnSave(file, workflows[file] ?? {}, client);
      watched.push(script);
      await script.begin();
    }
    console.log(`Watching ${files.join(", ")}. Ctrl-C stops it.`);
  }
  const { code } = await host.ended;
  for (const each of watched) each.end();
  process.exitCode = stop.signal.aborted ? 0 : (code ?? 1);
}
