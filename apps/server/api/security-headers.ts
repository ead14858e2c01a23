import { type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from "node:http";
import { Hono } from "hono";
import { secureHeaders } from "hono/secure-headers";

const none = ["'none'"];
const self = ["'self'"];

export type AnswerHeaders = Readonly<Record<string, string>>;

/** On every answer. Nothing is loaded from elsewhere, framed, kept or read by other pages. */
export async function securityHeaders({ isTls }: { isTls: boolean }): Promise<AnswerHeaders> {
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
  const app = new Hono().use(secure).get("/", (context) => context.body(null));
  const { headers } = await app.request("/");
  return { ...Object.fromEntries(headers), "cache-control": "no-store" };
}

/**
 * Whatever is answered has these headers, also what no route has seen. An answer may say one of
 * them itself: only files of the page do, how long they may be kept.
 */
export function answersWith(headers: AnswerHeaders): typeof ServerResponse {
  return class<R extends IncomingMessage> extends ServerResponse<R> {
    override writeHead(status: number, ...given: readonly unknown[]): this {
      const reason = given.find((each) => typeof each === "string");
      const own = given.find((each) => typeof each === "object");
      const all: OutgoingHttpHeaders = { ...headers, ...own };
      return reason === undefined
        ? super.writeHead(status, all)
        : super.writeHead(status, reason, all);
    }
  };
}
