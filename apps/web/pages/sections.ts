/** What the top bar leads to, beside what needs the reader. */
export const sections = [
  { to: "/", says: "Workflows" },
  { to: "/page/activity", says: "Activity" },
  { to: "/page/connections", says: "Connections" },
  { to: "/page/audit", says: "Audit" },
  { to: "/page/people", says: "People" },
  { to: "/page/policies", says: "Policies" },
] as const;
