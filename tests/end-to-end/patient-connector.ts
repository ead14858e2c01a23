import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** `post` as `http` has it, but it waits for an answer, also when nobody waits for it any more. */
const connector = `
import { defineConnector } from "@holdfast/connector-kit";

export default defineConnector({
  name: "patient",
  version: "1",
  readAccount: ({ baseUrl }) => ({ baseUrl, timeoutMs: 100 }),
  operations: {
    post: {
      kind: "mutation",
      readParams: (given) => given,
      identity: ({ path, body, ref }) => ({ path, body, ref }),
      target: ({ baseUrl }) => baseUrl,
      describe: (_, { path }) => "post to " + path,
      execute: async ({ account, params, go }) => {
        go();
        const body = JSON.stringify(params.body);
        const answer = await fetch(account.baseUrl + params.path, { method: "POST", body });
        return { status: answer.status, body: await answer.json() };
      },
    },
  },
});`;

/** What the host's environment has to say, so that it knows the connector. */
export function writePatientConnector(folder: string): Readonly<Record<string, string>> {
  writeFileSync(join(folder, "patient.js"), connector);
  const config = join(folder, "holdfast.config.js");
  writeFileSync(config, 'export default { connectors: ["./patient.js"] };');
  return { HOLDFAST_CONFIG: config };
}

/** The script, with its connection to such an account. */
export function patiently(script: string, account = "shop"): string {
  const before = 'shop: { connector: "http", account: "shop" }';
  if (!script.includes(before)) throw new Error("the script has no such connection");
  return script.replace(before, `shop: { connector: "patient", account: "${account}" }`);
}
