import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { textsOf } from "../address.ts";
import { workflowRoute } from "../workflow/route.ts";

export const workflowEventsRoute = createRoute({
  getParentRoute: () => workflowRoute,
  path: "events",
  validateSearch: textsOf("status", "find", "topic"),
  component: lazyRouteComponent(() => import("./page.tsx"), "EventsPage"),
});
