import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.ts";

export const policiesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/page/policies",
  component: lazyRouteComponent(() => import("./page.tsx"), "PoliciesPage"),
});
