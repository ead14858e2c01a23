import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.ts";

/** What all pages of one workflow have above them; each of them is a folder of its own. */
export const workflowRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/page/workflows/$workflow",
  component: lazyRouteComponent(() => import("./page.tsx"), "WorkflowPage"),
});
