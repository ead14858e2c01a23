import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { workflowRoute } from "../workflow/route.ts";

export const workflowRulesRoute = createRoute({
  getParentRoute: () => workflowRoute,
  path: "rules",
  component: lazyRouteComponent(() => import("./page.tsx"), "RulesPage"),
});
