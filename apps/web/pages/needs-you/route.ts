import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.ts";
import { textsOf } from "../address.ts";

export const needsYouRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/page/needs-you",
  validateSearch: textsOf("workflow", "kind"),
  component: lazyRouteComponent(() => import("./page.tsx"), "NeedsYouPage"),
});
