import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { textsOf } from "../address.ts";
import { workflowRoute } from "../workflow/route.ts";

export const workflowMachinesRoute = createRoute({
  getParentRoute: () => workflowRoute,
  path: "machines",
  validateSearch: textsOf("machine", "status", "find"),
  component: lazyRouteComponent(() => import("./page.tsx"), "MachinesPage"),
});
