/** What starts a handler, as it is declared and as the script sees it. */
import type { EventOf, TopicName, Topics } from "./topic.ts";

/**
 * Each time `interval` has passed (`"30s"`, `"5m"`, `"2h"`, `"1d"`, or milliseconds as a number),
 * or at the times of `cron`.
 */
export type Schedule = (
  | { readonly interval: string | number; readonly cron?: never }
  | { readonly cron: string; readonly interval?: never }
) & {
  /** IANA name, such as `Europe/Vienna`. Without it, cron counts in UTC. */
  readonly timeZone?: string;
  /** Firings missed while the workflow was busy become one, unless `"skip"` drops them. */
  readonly catchUp?: "once" | "skip";
};

export type Webhook = true | { readonly path?: string };

/** Started by a clock, by a webhook, or only by a person; `manual: true` says that it is meant. */
export type StartedBy =
  | { readonly schedule: Schedule; readonly webhook?: never; readonly manual?: never }
  | { readonly webhook: Webhook; readonly schedule?: never; readonly manual?: never }
  | { readonly manual?: true; readonly schedule?: never; readonly webhook?: never };

/** Why this run was started. A handler must be harmless when it is started for no reason. */
export interface Trigger<T extends Topics, Subscribed extends TopicName<T> = never> {
  readonly reason: string;
  readonly event?: EventOf<T, Subscribed>;
}

export interface Logger {
  /** For the run's trace, which people read and repairs are made with: no secrets. */
  log(...shown: readonly unknown[]): void;
}
