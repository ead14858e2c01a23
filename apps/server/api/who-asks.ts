import { isAtLeast, type Role } from "@holdfast/protocol";
import { matchedRoutes } from "hono/route";
import type { Access, Asker } from "../access/access.ts";
import { TryLimit } from "../access/try-limit.ts";
import { type ApiContext, addressOf, headerOf } from "./api-env.ts";
import { commandRoles, notByVisit, routeRoles, withinReach } from "./least-role.ts";
import { ApiProblem } from "./problem.ts";
import { requireSameOrigin } from "./same-origin.ts";
import { findVisitCookie } from "./visit-cookie.ts";

/**
 * The one door. Nothing behind it is reached by somebody who is not known, or whose role is not
 * enough; what has no line in the table is reached by nobody.
 */
export function askerGuard(access: Access): (context: ApiContext) => void {
  const findAsker = askerFinder(access);
  const routesOf = routeReader();
  return (context) => {
    const { routes, isOpen } = routesOf(context);
    if (isOpen) return;
    const asker = findAsker(context);
    for (const route of routes) {
      admit(asker, route);
      requireReach(asker, route, context);
    }
    context.set("asker", asker);
  };
}

type Matched = {
  readonly routes: readonly string[];
  /** Nobody has to be known for any of them. */
  readonly isOpen: boolean;
};

type RouterRoute = ReturnType<typeof matchedRoutes>[number];

/**
 * The names of what was matched are put together once for each way that a request can go; it is
 * the same way only if it leads through exactly the same routes.
 */
function routeReader(): (context: ApiContext) => Matched {
  const known = new WeakMap<RouterRoute, Matched & { readonly way: readonly RouterRoute[] }>();
  return (context) => {
    const way = matchedRoutes(context);
    const last = way.at(-1);
    const before = last && known.get(last);
    if (before && isSame(before.way, way)) return before;
    const routes = namesOf(way);
    const least = routes.map((route) => routeRoles[route]);
    const isOpen = least.length > 0 && least.every((each) => each === "anyone" || each === "hook");
    const matched = { way, routes, isOpen };
    if (last) known.set(last, matched);
    return matched;
  };
}

function isSame(one: readonly RouterRoute[], other: readonly RouterRoute[]): boolean {
  return one.length === other.length && one.every((route, index) => route === other[index]);
}

/** Routes that answer, without what stands before all of them. None = there is nothing there. */
function namesOf(way: readonly RouterRoute[]): readonly string[] {
  return way
    .filter(({ method, path }) => method !== "ALL" || path !== "/*")
    .map(({ method, path }) => `${method} ${path}`);
}

function admit(asker: Asker, route: string): void {
  const least = Object.hasOwn(routeRoles, route) ? routeRoles[route] : undefined;
  if (least === undefined) throw tooLow(`Nobody has said who may ask for ${route}.`);
  if (least !== "anyone" && least !== "hook") requireRole(asker, least, route);
  if (asker.by === "visit" && notByVisit.has(route)) {
    throw tooLow("A browser that is logged in makes no tokens and no login links.", {
      remedy: "Ask with a token: `holdfast token create`, `holdfast login-link`.",
    });
  }
}

function requireRole(asker: Asker, least: Role, what: string): void {
  const isEnough = least === "executor" ? asker.role === least : isAtLeast(asker.role, least);
  if (isEnough) return;
  throw tooLow(`${what} is for ${least}, and ${asker.name} is ${asker.role}.`, {
    remedy: `Ask somebody whose token has the role ${least}.`,
  });
}

/** What is not within reach is not told to be there either. */
function requireReach(asker: Asker, route: string, context: ApiContext): void {
  const least = routeRoles[route];
  if (asker.workflows === null || least === "anyone" || withinReach.has(route)) return;
  const [, below] = /^\/api\/v1\/workflows\/([^/]+)/.exec(context.req.path) ?? [];
  if (below === undefined) throw outOfReach(asker, route);
  requireWorkflow(asker, decoded(below));
}

/** As the route's own parameter is read, from the same address. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function isWithinReach(asker: Pick<Asker, "workflows">, workflow: string): boolean {
  return asker.workflows === null || asker.workflows.includes(workflow);
}

function requireWorkflow(asker: Asker, workflow: string): void {
  if (!isWithinReach(asker, workflow)) throw outOfReach(asker, workflow);
}

function outOfReach({ name, workflows }: Asker, what: string): ApiProblem {
  const reach = (workflows ?? []).join(", ");
  return tooLow(`${what} is not within the reach of ${name}: ${reach}.`, {
    remedy: "Ask with a token that reaches it: `holdfast token create`.",
  });
}

/** Whatever way in it came by. A command that the table does not know is nobody's. */
export function requireCommandRole(asker: Asker, kind: string): void {
  const roles: Readonly<Record<string, Role>> = commandRoles;
  const least = Object.hasOwn(roles, kind) ? roles[kind] : undefined;
  if (least === undefined) throw tooLow(`Nobody has said who may ask for ${kind}.`);
  requireRole(asker, least, kind);
}

function tooLow(text: string, more: { readonly remedy?: string } = {}): ApiProblem {
  return new ApiProblem(403, "ROLE_TOO_LOW", text, more);
}

/** Throws for whoever is not known. Where there is a token it decides, whatever the cookie says. */
function askerFinder(access: Access): (context: ApiContext) => Asker {
  const wrongTokens = new TryLimit();
  return (context) => {
    const authorization = headerOf(context, "authorization");
    if (authorization !== undefined)
      return byToken(access, { context, authorization, wrongTokens });
    const cookie = findVisitCookie(context);
    if (cookie !== null) return byVisit(access, context, cookie);
    throw wrong("The request has no token.");
  };
}

type Shown = {
  readonly context: ApiContext;
  readonly authorization: string;
  readonly wrongTokens: TryLimit;
};

/**
 * A right token is never held up by wrong ones: 32 random bytes are not found by trying, and
 * nobody is to be kept from the brake by somebody who makes noise at the door.
 */
function byToken(access: Access, { context, authorization, wrongTokens }: Shown): Asker {
  const found = foundBy(access, authorization);
  if (found === "expired") {
    throw new ApiProblem(401, "TOKEN_EXPIRED", "The token has expired.", {
      remedy: "Ask an admin for a new one: `holdfast token create`.",
    });
  }
  if (found !== "unknown") return found;
  const address = addressOf(context);
  refuseWhileTooMany(wrongTokens, address);
  wrongTokens.failed(address, performance.now());
  throw wrong("The token is not one of this host's.");
}

function foundBy(access: Access, authorization: string): ReturnType<Access["findToken"]> {
  const [, token] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
  return token === undefined ? "unknown" : access.findToken(token);
}

/** For doors that have a guard of their own: null = the request shows no token of this host. */
export function findTokenAsker(access: Access, context: ApiContext): Asker | null {
  const found = foundBy(access, headerOf(context, "authorization") ?? "");
  return typeof found === "string" ? null : found;
}

export function refuseWhileTooMany(tries: TryLimit, address: string): void {
  const waitMs = Math.ceil(tries.waitMs(address, performance.now()));
  if (waitMs === 0) return;
  throw new ApiProblem(429, "TRIES_TOO_MANY", "Too many wrong tries came from there.", {
    remedy: `Wait for ${waitMs} ms.`,
    retryAfterMs: waitMs,
  });
}

function byVisit(access: Access, context: ApiContext, cookie: string): Asker {
  requireSameOrigin(context);
  const found = access.findVisit(cookie);
  if (found !== "unknown" && found !== "expired") return found;
  throw new ApiProblem(401, "VISIT_OVER", "The visit is over, or never began.", {
    remedy: "Log in again: `holdfast login-link` prints a link.",
  });
}

function wrong(text: string): ApiProblem {
  return new ApiProblem(401, "TOKEN_WRONG", text, {
    remedy:
      "Send `authorization: Bearer <token>`; commands on the host's machine find theirs in its " +
      "data folder, others in HOLDFAST_TOKEN.",
  });
}
