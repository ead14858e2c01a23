import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.ts";

export const outputRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/page/workflows/$workflow/outputs/$output",
  component: lazyRouteComponent(() => import("./page.tsx"), "OutputPage"),
});
