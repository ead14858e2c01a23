import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { ApiContext } from "./api-env.ts";

/** Cookies know no ports: two hosts on one machine must not take each other's. */
function nameOf(context: ApiContext): string {
  return `holdfast-visit-${context.env.incoming.socket.localPort}`;
}

/** With TLS the browser itself sees to it that the cookie came from exactly this host. */
const prefix = "host";

export function findVisitCookie(context: ApiContext): string | null {
  const name = nameOf(context);
  return getCookie(context, name, prefix) ?? getCookie(context, name) ?? null;
}

export function setVisitCookie(context: ApiContext, cookie: string, until: number | null): void {
  const lifeMs = until === null ? {} : { maxAge: Math.floor((until - Date.now()) / 1_000) };
  const options = { httpOnly: true, sameSite: "Strict", path: "/", ...lifeMs } as const;
  if (isEncrypted(context)) setCookie(context, nameOf(context), cookie, { ...options, prefix });
  else setCookie(context, nameOf(context), cookie, options);
}

export function dropVisitCookie(context: ApiContext): void {
  const name = nameOf(context);
  if (getCookie(context, name, prefix) !== undefined) {
    deleteCookie(context, name, { path: "/", prefix });
  }
  if (getCookie(context, name) !== undefined) deleteCookie(context, name, { path: "/" });
}

/** Up to the browser: a proxy may have ended TLS before us. */
function isEncrypted(context: ApiContext): boolean {
  const { socket } = context.env.incoming;
  return "encrypted" in socket || (context.req.header("origin") ?? "").startsWith("https:");
}
