import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.ts";

export const proposalRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/page/workflows/$workflow/proposals/$number",
  component: lazyRouteComponent(() => import("./page.tsx"), "ProposalPage"),
});
