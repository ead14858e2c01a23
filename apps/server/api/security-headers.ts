import type { MiddlewareHandler } from "hono";
import { secureHeaders } from "hono/secure-headers";

const none = ["'none'"];
const self = ["'self'"];

/** On every answer. Nothing is loaded from elsewhere, framed, kept or read by other pages. */
export function securityHeaders({ isTls }: { readonly isTls: boolean }): MiddlewareHandler {
  const secure = secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: none,
      scriptSrc: self,
      styleSrc: self,
      imgSrc: self,
      connectSrc: self,
      baseUri: none,
      formAction: none,
      frameAncestors: none,
    },
    xFrameOptions: "DENY",
    // Said in the clear it would mean nothing.
    strictTransportSecurity: isTls ? "max-age=31536000" : false,
  });
  return async (context, next) => {
    await secure(context, next);
    context.res.headers.set("cache-control", "no-store");
  };
}
