import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { DeployAnswer, GrantsAnswer, GrantsSetAnswer } from "@holdfast/protocol";
import { type HostClient, HostProblem } from "../host-client.ts";

export const example = "orders";
const place = new URL("../../../examples/orders/", import.meta.url);
export const policyFile = fileURLToPath(new URL("policy.json", place));
const grantsPath = `/workflows/${example}/grants`;

/** Deploys what is in the folder now. Grants that an operator has set since stay as they are. */
export async function deployExample(client: HostClient): Promise<DeployAnswer> {
  const source = {
    entry: "orders.ts",
    files: { "orders.ts": readFileSync(new URL("orders.ts", place), "utf8") },
  };
  const isNew = (await grantsInForce(client)) === null;
  // The rest of the grants follows; until then there is nothing to do.
  const given = isNew ? { source, allow: ["shop.list"] } : { source };
  const answer = await client.post<DeployAnswer>("/versions", given);
  const inForce = await grantsInForce(client);
  if (inForce === null || inForce.missing.length > 0) {
    const grants = JSON.parse(readFileSync(new URL("grants.json", place), "utf8")) as object[];
    await client.post<GrantsSetAnswer>(grantsPath, { grants });
  }
  return answer;
}

/** Null = the workflow is not there yet. */
async function grantsInForce(client: HostClient): Promise<GrantsAnswer | null> {
  try {
    return await client.get<GrantsAnswer>(grantsPath);
  } catch (error) {
    if (error instanceof HostProblem && error.problem.code === "WORKFLOW_UNKNOWN") return null;
    throw error;
  }
}
