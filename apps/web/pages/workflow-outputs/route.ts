import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { textsOf } from "../address.ts";
import { workflowRoute } from "../workflow/route.ts";

export const workflowOutputsRoute = createRoute({
  getParentRoute: () => workflowRoute,
  path: "outputs",
  validateSearch: textsOf("status", "find"),
  component: lazyRouteComponent(() => import("./page.tsx"), "OutputsPage"),
});
