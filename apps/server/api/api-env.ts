import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { Asker } from "../access/access.ts";

export type ApiEnv = { Bindings: HttpBindings; Variables: { asker: Asker } };
export type ApiContext = Context<ApiEnv>;

/** Of the other end of the connection; what a proxy says about who is behind it is not believed. */
export function addressOf(context: ApiContext): string {
  return context.env.incoming.socket.remoteAddress ?? "unknown";
}
