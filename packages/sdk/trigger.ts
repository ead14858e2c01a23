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

/**
 * Who may push is decided by the host. `secret` is the name of a secret that the host keeps, never
 * its value: whoever pushes has to show it, or with `signature` to sign the body with it (HMAC).
 */
export type Webhook =
  | true
  | (WebhookPlace & {
      readonly secret?: string;
      readonly signature?: never;
      /** The header that shows the secret; without it `x-webhook-secret`. */
      readonly secretHeader?: string;
      readonly signatureHeader?: never;
    })
  | (WebhookPlace & {
      readonly secret: string;
      readonly signature: "sha256";
      /** The header that has the signature; without it `x-hub-signature-256`. */
      readonly signatureHeader?: string;
      readonly secretHeader?: never;
    });

type WebhookPlace = {
  readonly path?: string;
  /**
   * The header that names each push; one without it is refused. Where pushes are signed and have
   * none, two with the same body are one. A signature does not cover it: whoever catches a signed
   * push could send it again under another name.
   */
  readonly idHeader?: string;
};

/** Started by a clock, by a webhook, or only by a person; `manual: true` says that it is meant. */
export type StartedBy =
  | { readonly schedule: Schedule; readonly webhook?: never; readonly manual?: never }
  | { readonly webhook: Webhook; readonly schedule?: never; readonly manual?: never }
  | { readonly manual?: true; readonly schedule?: never; readonly webhook?: never };

/** One push to a webhook. */
export type Delivery = {
  /** As the sender names it; the same id comes once, however often it is pushed. */
  readonly id: string;
  /** To be named where something is published because of it. */
  readonly inputId: string;
  /** The text as it came: JSON is still to be parsed, and may be wrong. */
  readonly body: string;
  /** ISO text. */
  readonly receivedAt: string;
};

/**
 * Why this run was started: something new in a topic, its wish to be woken, its schedule, a
 * delivery, a person, or because a run before it failed. A handler must be harmless when it is
 * started for no reason.
 */
export interface Trigger<T extends Topics, Subscribed extends TopicName<T> = never> {
  readonly reason: "event" | "wake" | "schedule" | "webhook" | "manual" | "retry";
  /** The oldest pending event there is for the handler, as peek shows it. */
  readonly event?: EventOf<T, Subscribed>;
  /** Of a webhook: what waits, oldest first. The commit of this run is done with all of them. */
  readonly deliveries?: readonly Delivery[];
}

export interface Logger {
  /** For the run's trace, which people read and repairs are made with: no secrets. */
  log(...shown: readonly unknown[]): void;
}
