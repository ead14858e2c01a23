import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.ts";
import { textsOf } from "../address.ts";

export const activityRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/page/activity",
  validateSearch: textsOf("workflow"),
  component: lazyRouteComponent(() => import("./page.tsx"), "ActivityPage"),
});
