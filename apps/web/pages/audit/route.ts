import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.ts";
import { textsOf } from "../address.ts";

export const auditRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/page/audit",
  validateSearch: textsOf("workflow", "status", "find"),
  component: lazyRouteComponent(() => import("./page.tsx"), "AuditPage"),
});
