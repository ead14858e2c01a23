import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.ts";
import { textsOf } from "../address.ts";

export const cellRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/page/workflows/$workflow/machines/$machine/$cell",
  validateSearch: textsOf("at"),
  component: lazyRouteComponent(() => import("./page.tsx"), "CellPage"),
});
