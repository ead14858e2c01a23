import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { textsOf } from "../address.ts";
import { workflowRoute } from "../workflow/route.ts";

export const workflowJournalRoute = createRoute({
  getParentRoute: () => workflowRoute,
  path: "journal",
  validateSearch: textsOf("status", "find"),
  component: lazyRouteComponent(() => import("./page.tsx"), "JournalPage"),
});
