import { pageHeader } from "@holdfast/protocol";
import type { ApiContext } from "./api-env.ts";
import { ApiProblem } from "./problem.ts";

/**
 * A cookie is sent by the browser, whoever made it ask. So what comes with one counts only if the
 * browser says that our own page asked; and what changes something has to carry a header besides,
 * which no other page can add. Other ports of this machine are other pages.
 */
export function requireSameOrigin(context: ApiContext): void {
  const { req } = context;
  const site = req.header("sec-fetch-site");
  if (site !== undefined && site !== "same-origin" && site !== "none") {
    throw refused(`The browser says that the request is ${site}.`);
  }
  const origin = req.header("origin");
  if (origin !== undefined && placeOf(origin) !== req.header("host")?.toLowerCase()) {
    throw refused("The request comes from a page of another origin.");
  }
  if (req.method === "GET" || req.method === "HEAD") return;
  if (req.header(pageHeader) === undefined) {
    throw refused(`The request does not carry the header ${pageHeader}.`);
  }
}

/** Name and port. The scheme may differ: a proxy that ends TLS speaks plainly with the host. */
function placeOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}

function refused(text: string): ApiProblem {
  return new ApiProblem(403, "CROSS_SITE_REFUSED", text, {
    remedy: "Ask from the host's own page, or with a token.",
  });
}
