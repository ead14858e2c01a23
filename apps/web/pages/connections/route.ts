import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.ts";

export const connectionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/page/connections",
  component: lazyRouteComponent(() => import("./page.tsx"), "ConnectionsPage"),
});
