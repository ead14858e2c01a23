import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.ts";

export const runRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/page/workflows/$workflow/runs/$run",
  component: lazyRouteComponent(() => import("./page.tsx"), "RunPage"),
});
