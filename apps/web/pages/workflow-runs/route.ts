import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { textsOf } from "../address.ts";
import { workflowRoute } from "../workflow/route.ts";

export const workflowRunsRoute = createRoute({
  getParentRoute: () => workflowRoute,
  path: "runs",
  validateSearch: textsOf("status", "find"),
  component: lazyRouteComponent(() => import("./page.tsx"), "RunsPage"),
});
