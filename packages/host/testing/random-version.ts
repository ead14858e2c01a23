import type { ActivateVersion, View } from "@holdfast/core";
import type { Choice } from "./random-command.ts";
import { grantsOf } from "./random-grants.ts";

type Situation = { readonly view: View; readonly choice: Choice };

/** The next version, major or minor; its machine is always the same. */
export function versionCommand({ view, choice }: Situation): ActivateVersion {
  const workflow = view.find("workflows");
  // A minor version that declares something else is refused.
  const isMinor = choice.a % 3 === 0;
  const major = (workflow?.versionMajor ?? 0) + (isMinor ? 0 : 1);
  const minor = isMinor ? (workflow?.versionMinor ?? 0) + 1 : 0;
  const replay = choice.a % 2 === 0 ? "replay" : "prepare";
  const withDigest = choice.b % 4 !== 0;
  const handler = (name: string, kind: "producer" | "consumer" | "job", subscribe: string[]) =>
    ({
      name,
      kind,
      subscribe,
      publishes: null,
      onMutationFailed: replay,
      catchUp: "once",
      webhook: kind === "producer",
      start: "manual",
      scheduled: kind !== "consumer",
    }) as const;
  const timed = [handler("poll", "producer", []), handler("tidy", "job", [])];
  const digest = withDigest ? [handler("digest", "consumer", ["bookings"])] : [];
  return {
    kind: "activate_version",
    major,
    minor,
    scriptHash: `script ${major}.${minor}`,
    script: null,
    connections: [],
    grants: choice.b % 3 === 0 ? grantsOf(choice) : null,
    progress: !isMinor && choice.a % 5 === 0 ? "fresh" : "keep",
    topics: [
      { name: "orders", subscriber: "book", observed: false, schema: null, machines: true },
      {
        name: "bookings",
        subscriber: withDigest ? "digest" : null,
        observed: !withDigest,
        schema: null,
      },
    ],
    handlers: [...timed, handler("book", "consumer", ["orders"]), ...digest],
    machines: true,
    definitions: ["orders/order@1 same"],
    actor: "ann",
  };
}
