import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.ts";

export const peopleRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/page/people",
  component: lazyRouteComponent(() => import("./page.tsx"), "PeoplePage"),
});
