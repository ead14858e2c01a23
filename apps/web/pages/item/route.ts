import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.ts";

export const itemRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/page/workflows/$workflow/items/$item",
  component: lazyRouteComponent(() => import("./page.tsx"), "ItemPage"),
});
