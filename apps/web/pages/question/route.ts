import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.ts";

export const questionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/page/needs-you/$workflow/$question",
  component: lazyRouteComponent(() => import("./page.tsx"), "QuestionPage"),
});
