import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.ts";
import { textsOf } from "../address.ts";

export const searchRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/page/search",
  validateSearch: textsOf("q"),
  component: lazyRouteComponent(() => import("./page.tsx"), "SearchPage"),
});
