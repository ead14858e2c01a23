import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { textsOf } from "../address.ts";
import { workflowRoute } from "../workflow/route.ts";

export const workflowItemsRoute = createRoute({
  getParentRoute: () => workflowRoute,
  path: "items",
  validateSearch: textsOf("status", "find", "job"),
  component: lazyRouteComponent(() => import("./page.tsx"), "ItemsPage"),
});
