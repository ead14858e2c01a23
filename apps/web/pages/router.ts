import { createRouter } from "@tanstack/react-router";
import { PageBroke } from "../frame/page-broke.tsx";
import { rootRoute } from "../frame/root-route.ts";
import { activityRoute } from "./activity/route.ts";
import { auditRoute } from "./audit/route.ts";
import { cellRoute } from "./cell/route.ts";
import { connectionsRoute } from "./connections/route.ts";
import { eventRoute } from "./event/route.ts";
import { homeRoute } from "./home/route.ts";
import { inputRoute } from "./input/route.ts";
import { itemRoute } from "./item/route.ts";
import { machineTraceRoute } from "./machine-trace/route.ts";
import { needsYouRoute } from "./needs-you/route.ts";
import { outputRoute } from "./output/route.ts";
import { peopleRoute } from "./people/route.ts";
import { policiesRoute } from "./policies/route.ts";
import { proposalRoute } from "./proposal/route.ts";
import { questionRoute } from "./question/route.ts";
import { runRoute } from "./run/route.ts";
import { searchRoute } from "./search/route.ts";
import { workflowRoute } from "./workflow/route.ts";
import { workflowEventsRoute } from "./workflow-events/route.ts";
import { workflowInputsRoute } from "./workflow-inputs/route.ts";
import { workflowItemsRoute } from "./workflow-items/route.ts";
import { workflowJournalRoute } from "./workflow-journal/route.ts";
import { workflowMachinesRoute } from "./workflow-machines/route.ts";
import { workflowOutputsRoute } from "./workflow-outputs/route.ts";
import { workflowRulesRoute } from "./workflow-rules/route.ts";
import { workflowRunsRoute } from "./workflow-runs/route.ts";
import { workflowVersionsRoute } from "./workflow-versions/route.ts";
import { workflowWiringRoute } from "./workflow-wiring/route.ts";

/** Every page is one folder, and one line here. */
const ofWorkflow = workflowRoute.addChildren([
  workflowInputsRoute,
  workflowOutputsRoute,
  workflowItemsRoute,
  workflowMachinesRoute,
  workflowRulesRoute,
  workflowVersionsRoute,
  workflowWiringRoute,
  workflowEventsRoute,
  workflowRunsRoute,
  workflowJournalRoute,
]);
const pages = rootRoute.addChildren([
  homeRoute,
  needsYouRoute,
  questionRoute,
  ofWorkflow,
  inputRoute,
  outputRoute,
  itemRoute,
  cellRoute,
  proposalRoute,
  machineTraceRoute,
  runRoute,
  searchRoute,
  eventRoute,
  activityRoute,
  connectionsRoute,
  auditRoute,
  peopleRoute,
  policiesRoute,
]);

export const router = createRouter({
  routeTree: pages,
  defaultPreload: "intent",
  defaultErrorComponent: PageBroke,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
