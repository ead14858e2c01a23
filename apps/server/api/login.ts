import { type AskerAnswer, loginRequest } from "@holdfast/protocol";
import { Hono } from "hono";
import type { Access, Asker } from "../access/access.ts";
import { TryLimit } from "../access/try-limit.ts";
import type { PageParts } from "../page/serve-page.ts";
import { type ApiContext, type ApiEnv, addressOf } from "./api-env.ts";
import { loginPage, loginScript, loginStyle } from "./login-page.ts";
import { ApiProblem } from "./problem.ts";
import { readBody } from "./read-body.ts";
import { requireSameOrigin } from "./same-origin.ts";
import { dropVisitCookie, findVisitCookie, setVisitCookie } from "./visit-cookie.ts";
import { refuseWhileTooMany } from "./who-asks.ts";

export type LoginParts = PageParts & { readonly access: Access };

/** How a browser comes in and goes out. */
export function logins({ access, page }: LoginParts): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  const wrongCodes = new TryLimit();
  app.get("/login", (context) => {
    page.expect();
    return context.html(loginPage);
  });
  app.get("/login.js", (context) => {
    return context.body(loginScript, 200, { "content-type": "text/javascript; charset=utf-8" });
  });
  app.get("/login.css", (context) => {
    return context.body(loginStyle, 200, { "content-type": "text/css; charset=utf-8" });
  });
  app.post("/login", async (context) => {
    // Otherwise another page could log its reader in as somebody else.
    requireSameOrigin(context);
    const address = addressOf(context);
    refuseWhileTooMany(wrongCodes, address);
    const { code } = await readBody(context, loginRequest);
    const entered = access.login(code);
    if (entered === null) {
      wrongCodes.failed(address, performance.now());
      throw refused();
    }
    setVisitCookie(context, entered.cookie, entered.asker.until);
    return context.json(answerOf(entered.asker));
  });
  app.post("/logout", (context) => logout(access, context));
  app.get("/api/v1/me", (context) => context.json(answerOf(context.get("asker"))));
  app.post("/api/v1/login-codes", (context) => {
    return context.json(access.newLoginCode(context.get("asker")), 201);
  });
  return app;
}

/** A cookie that was copied before is of no use afterwards. */
function logout(access: Access, context: ApiContext): Response {
  const cookie = findVisitCookie(context);
  if (cookie !== null) access.logout(cookie);
  dropVisitCookie(context);
  return context.json({ loggedOut: cookie !== null });
}

function answerOf({ name, role, by, until, workflows }: Asker): AskerAnswer {
  return { name, role, by, until, workflows };
}

function refused(): ApiProblem {
  return new ApiProblem(401, "LOGIN_REFUSED", "The code was used, is over, or was never made.", {
    remedy: "`holdfast login-link` prints a new link.",
  });
}
