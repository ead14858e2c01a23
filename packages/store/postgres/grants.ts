import { escapeIdentifier } from "pg";

/**
 * What a host does to each table, and nothing beyond it: the journal only grows, the ledger
 * forgets nothing, the bytes of a payload stay what they are.
 */
const privileges: Readonly<Record<string, string>> = {
  schema_version: "SELECT",
  schema_objects: "SELECT",
  // No update: whether a restored database is to be used is said by the owner of the schema.
  store_meta: "SELECT, INSERT",
  hosts: "SELECT, INSERT, UPDATE, DELETE",
  workflows: "SELECT, INSERT, UPDATE",
  envelopes: "SELECT, INSERT",
  budgets: "SELECT, INSERT, UPDATE (version)",
  journal: "SELECT, INSERT",
  // Deleted are parts of snapshots, by their names; payloads stay.
  blobs: "SELECT, INSERT, UPDATE (touched_at), DELETE",
  commands: "SELECT, INSERT",
  store_brake: "SELECT, UPDATE",
  // Row locks ask for update, though nothing of a trace is ever changed.
  traces: "SELECT, INSERT, UPDATE (at), DELETE",
  counted_reads: "SELECT, INSERT, UPDATE (amount), DELETE",
  kept_results: "SELECT, INSERT, UPDATE (at, result), DELETE",
  low_water: "SELECT, INSERT, DELETE",
  topics: "SELECT, INSERT, UPDATE",
  handlers: "SELECT, INSERT, UPDATE",
  handler_kv: "SELECT, INSERT, UPDATE, DELETE",
  inputs: "SELECT, INSERT, UPDATE",
  runs: "SELECT, INSERT, UPDATE",
  items: "SELECT, INSERT, UPDATE",
  machine_inputs: "SELECT, INSERT, DELETE",
  machine_frames: "SELECT, INSERT",
  older_cells: "SELECT, INSERT, DELETE",
  proposals: "SELECT, INSERT, UPDATE",
  reservations: "SELECT, INSERT",
  events: "SELECT, INSERT, UPDATE",
  event_inputs: "SELECT, INSERT",
  event_uses: "SELECT, INSERT",
  mutations: "SELECT, INSERT, UPDATE",
  mutation_evidence: "SELECT, INSERT",
  mutation_inputs: "SELECT, INSERT, DELETE",
  attentions: "SELECT, INSERT, UPDATE",
  brakes: "SELECT, INSERT, DELETE",
  verdicts: "SELECT, INSERT",
  skipped_firings: "SELECT, INSERT",
  deliveries: "SELECT, INSERT, UPDATE",
};

/**
 * The SQL by which the owner of the schema lets a role run a host, one statement per line. To be
 * said again after each step of the schema: what a step adds belongs to its owner alone.
 */
export function grantStatements(role: string): string {
  const to = `TO ${escapeIdentifier(role)};`;
  return [
    `GRANT USAGE ON SCHEMA holdfast ${to}`,
    `GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA holdfast ${to}`,
    ...Object.entries(privileges).map(([table, may]) => `GRANT ${may} ON holdfast.${table} ${to}`),
    "",
  ].join("\n");
}
