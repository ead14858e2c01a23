import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.ts";

export const eventRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/page/workflows/$workflow/events/$topic/$event",
  component: lazyRouteComponent(() => import("./page.tsx"), "EventPage"),
});
