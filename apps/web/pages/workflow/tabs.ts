/** The pages of a workflow, in the order of their tabs: first what people ask, then details. */
export const tabs = [
  { to: "/page/workflows/$workflow", says: "What came in" },
  { to: "/page/workflows/$workflow/outputs", says: "What was done" },
  { to: "/page/workflows/$workflow/items", says: "Items" },
  { to: "/page/workflows/$workflow/machines", says: "Machines", needs: "machines" },
  { to: "/page/workflows/$workflow/rules", says: "What it may do" },
  { to: "/page/workflows/$workflow/versions", says: "Versions" },
  { to: "/page/workflows/$workflow/wiring", says: "Details: wiring" },
  { to: "/page/workflows/$workflow/events", says: "events" },
  { to: "/page/workflows/$workflow/runs", says: "runs" },
  { to: "/page/workflows/$workflow/journal", says: "journal" },
] as const;
