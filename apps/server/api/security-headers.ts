import { Hono, type MiddlewareHandler } from "hono";
import { secureHeaders } from "hono/secure-headers";
import type { ApiEnv } from "./api-env.ts";

const none = ["'none'"];
const self = ["'self'"];

/** On every answer. Nothing is loaded from elsewhere, framed, kept or read by other pages. */
export function securityHeaders({ isTls }: { readonly isTls: boolean }): MiddlewareHandler<ApiEnv> {
  const secure = secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: none,
      scriptSrc: self,
      styleSrc: self,
      imgSrc: self,
      connectSrc: self,
      baseUri: none,
      // Text that scripts and services bring can be nothing but text in a browser.
      requireTrustedTypesFor: ["'script'"],
      trustedTypes: none,
      formAction: none,
      frameAncestors: none,
    },
    xFrameOptions: "DENY",
    // Said in the clear it would mean nothing.
    strictTransportSecurity: isTls ? "max-age=31536000" : false,
  });
  const headers = headersOf(secure);
  return async ({ env }, next) => {
    // Ahead of the answer, which then need not be opened again to add them. Only files of the page
    // say otherwise how long they may be kept.
    for (const [name, value] of await headers) env.outgoing.setHeader(name, value);
    await next();
  };
}

/** The same for every answer, so they are found out once. */
async function headersOf(
  secure: MiddlewareHandler,
): Promise<readonly (readonly [string, string])[]> {
  const app = new Hono().use(secure).get("/", (context) => context.body(null));
  const { headers } = await app.request("/");
  return [...headers, ["cache-control", "no-store"]];
}
