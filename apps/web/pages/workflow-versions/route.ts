import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { workflowRoute } from "../workflow/route.ts";

export const workflowVersionsRoute = createRoute({
  getParentRoute: () => workflowRoute,
  path: "versions",
  component: lazyRouteComponent(() => import("./page.tsx"), "VersionsPage"),
});
