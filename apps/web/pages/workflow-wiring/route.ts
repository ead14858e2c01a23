import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { workflowRoute } from "../workflow/route.ts";

export const workflowWiringRoute = createRoute({
  getParentRoute: () => workflowRoute,
  path: "wiring",
  component: lazyRouteComponent(() => import("./page.tsx"), "WiringPage"),
});
