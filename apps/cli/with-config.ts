import { existsSync } from "node:fs";
import type { ReadConfig } from "@holdfast/server/read-config";

/**
 * A command finds what `holdfast start` finds in the same folder. From here on the environment says
 * what the config file says, unless it said something else already. Null = there is no file.
 */
export async function applyConfig(): Promise<ReadConfig | null> {
  if (!process.env["HOLDFAST_CONFIG"] && !existsSync("holdfast.config.ts")) return null;
  const { readConfig } = await import("@holdfast/server/read-config");
  const config = await readConfig(process.env, process.cwd());
  Object.assign(process.env, config?.variables);
  return config;
}
