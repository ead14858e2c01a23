import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { Asker } from "../access/access.ts";

export type ApiEnv = { Bindings: HttpBindings; Variables: { asker: Asker } };
export type ApiContext = Context<ApiEnv>;

/** The workflows that who asks is told of; null = all. Whoever has the store itself sees it all. */
export function reachOf(context: ApiContext): readonly string[] | null {
  const asker: Asker | undefined = context.get("asker");
  return asker?.workflows ?? null;
}

/**
 * As the parser has read it: whoever asks for one through the request has all of them copied first,
 * which costs as much as a small answer does.
 */
export function headerOf({ env }: ApiContext, name: string): string | undefined {
  // Nothing came in where somebody reads a store without a host.
  const value = env?.incoming?.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

/** Of the other end of the connection; what a proxy says about who is behind it is not believed. */
export function addressOf(context: ApiContext): string {
  return context.env.incoming.socket.remoteAddress ?? "unknown";
}
