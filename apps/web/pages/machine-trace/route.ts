import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.ts";
import { textsOf } from "../address.ts";

export const machineTraceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/page/workflows/$workflow/trace",
  validateSearch: textsOf("event", "intent", "topic", "path", "value"),
  component: lazyRouteComponent(() => import("./page.tsx"), "MachineTracePage"),
});
