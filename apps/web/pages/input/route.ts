import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.ts";

export const inputRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/page/workflows/$workflow/inputs/$input",
  component: lazyRouteComponent(() => import("./page.tsx"), "InputPage"),
});
