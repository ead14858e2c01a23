import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { textsOf } from "../address.ts";
import { workflowRoute } from "../workflow/route.ts";

export const workflowInputsRoute = createRoute({
  getParentRoute: () => workflowRoute,
  path: "/",
  validateSearch: textsOf("status", "find"),
  component: lazyRouteComponent(() => import("./page.tsx"), "InputsPage"),
});
