import { type NewTokenAnswer, type TokenAnswer, tokenRequest } from "@holdfast/protocol";
import { Hono } from "hono";
import type { Access } from "../access/access.ts";
import type { TokenEntry } from "../access/access-book.ts";
import type { ApiEnv } from "./api-env.ts";
import { readBody } from "./read-body.ts";

export type TokenParts = {
  readonly access: Access;
  /** Told of whoever was let in or out, and by whom. */
  readonly onAccess: (text: string) => void;
  readonly onRevoked: (entry: TokenEntry) => void;
};

/** Who has a token, who gets one, and who no longer has one. */
export function tokens({ access, onAccess, onRevoked }: TokenParts): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  app.get("/", (context) => context.json({ items: access.tokens().map(answerOf) }));
  app.post("/", async (context) => {
    const {
      expiresInMs = null,
      workflows = null,
      ...given
    } = await readBody(context, tokenRequest);
    const by = context.get("asker").name;
    const { entry, token } = access.create({ ...given, expiresInMs, workflows, by });
    onAccess(`${by} made the token ${entry.name} (${entry.role})`);
    const answer: NewTokenAnswer = { ...answerOf(entry), token };
    return context.json(answer, 201);
  });
  app.delete("/:name", (context) => {
    const entry = access.revoke(context.req.param("name"));
    onRevoked(entry);
    onAccess(`${context.get("asker").name} revoked the token ${entry.name} (${entry.role})`);
    return context.json(answerOf(entry));
  });
  return app;
}

function answerOf({ hash: _, ...shown }: TokenEntry): TokenAnswer {
  return shown;
}
