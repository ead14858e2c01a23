import type { InboxKind } from "@holdfast/core";
import type { Role } from "@holdfast/protocol";

/** `anyone` = no login is needed; `hook` = the webhook's own guard decides. */
type Least = Role | "anyone" | "hook";

/**
 * Who may ask for what: every route of the API has its line here, or it is refused to everybody.
 * docs/people.md says the same to people.
 */
export const routeRoles: Readonly<Record<string, Least>> = {
  "GET /health": "anyone",
  "GET /ready": "anyone",
  "GET /metrics": "viewer",
  "GET /api/v1/openapi.json": "anyone",
  "GET /": "anyone",
  "GET /page/:place{.+}": "anyone",
  "GET /assets/:file": "anyone",
  "GET /login": "anyone",
  "GET /login.css": "anyone",
  "GET /login.js": "anyone",
  "POST /login": "anyone",
  "POST /logout": "viewer",
  "POST /hooks/:workflow/:path": "hook",
  "GET /api/v1/me": "viewer",
  "POST /api/v1/login-codes": "viewer",
  "GET /api/v1/tokens": "admin",
  "POST /api/v1/tokens": "admin",
  "DELETE /api/v1/tokens/:name": "admin",
  "GET /api/v1/live": "viewer",
  "GET /api/v1/attention": "viewer",
  "GET /api/v1/activity": "viewer",
  "GET /api/v1/brake": "viewer",
  "POST /api/v1/brake": "operator",
  "GET /api/v1/workflows": "viewer",
  "GET /api/v1/workflows/:workflow": "viewer",
  "GET /api/v1/workflows/:workflow/versions": "viewer",
  "GET /api/v1/workflows/:workflow/topics": "viewer",
  "GET /api/v1/workflows/:workflow/topics/:topic": "viewer",
  "GET /api/v1/workflows/:workflow/events": "viewer",
  "GET /api/v1/workflows/:workflow/events/:topic/:messageId": "viewer",
  "GET /api/v1/workflows/:workflow/mutations": "viewer",
  "GET /api/v1/workflows/:workflow/mutations/:mutationId": "viewer",
  "GET /api/v1/workflows/:workflow/journal": "viewer",
  "GET /api/v1/workflows/:workflow/facts": "viewer",
  "GET /api/v1/workflows/:workflow/audit": "viewer",
  "GET /api/v1/workflows/:workflow/connections": "viewer",
  "GET /api/v1/workflows/:workflow/inputs/:inputId{.+}": "viewer",
  "GET /api/v1/workflows/:workflow/runs/:runId": "viewer",
  "POST /api/v1/executors/:executor/take": "executor",
  "POST /api/v1/executors/:executor/receipts": "executor",
  "POST /api/v1/versions": "admin",
  "POST /api/v1/accounts/:account/resume": "operator",
  "POST /api/v1/accounts/:account/revoke": "admin",
  "POST /api/v1/workflows/:workflow/commands": "operator",
  "POST /api/v1/workflows/:workflow/attention/:id": "operator",
  "POST /api/v1/workflows/:workflow/attention/:id/edit": "operator",
  "POST /api/v1/workflows/:workflow/attention/:id/allow-like": "admin",
  "GET /api/v1/policy": "viewer",
  "GET /api/v1/workflows/:workflow/policy": "viewer",
  "GET /api/v1/workflows/:workflow/grants": "viewer",
  "GET /api/v1/workflows/:workflow/grants/diff": "viewer",
  "GET /api/v1/workflows/:workflow/grants/needed": "viewer",
  "POST /api/v1/workflows/:workflow/grants": "admin",
  "GET /api/v1/workflows/:workflow/runs/:runId/repair": "viewer",
  "GET /api/v1/workflows/:workflow/inputs": "viewer",
  "GET /api/v1/workflows/:workflow/outputs": "viewer",
  "GET /api/v1/workflows/:workflow/attention": "viewer",
  "GET /api/v1/workflows/:workflow/attention/:id": "viewer",
  "GET /api/v1/workflows/:workflow/items": "viewer",
  "GET /api/v1/workflows/:workflow/items/:id{.+}": "viewer",
  "GET /api/v1/workflows/:workflow/machines": "viewer",
  "GET /api/v1/workflows/:workflow/machines/cells": "viewer",
  "GET /api/v1/workflows/:workflow/machines/state": "viewer",
  "GET /api/v1/workflows/:workflow/machines/intents": "viewer",
  "GET /api/v1/workflows/:workflow/machines/journal": "viewer",
  "GET /api/v1/workflows/:workflow/machines/timeline": "viewer",
  "GET /api/v1/workflows/:workflow/machines/replay": "viewer",
  "GET /api/v1/workflows/:workflow/machines/trace": "viewer",
  "GET /api/v1/workflows/:workflow/machines/summary": "viewer",
  "GET /api/v1/workflows/:workflow/machines/proposals": "viewer",
  "GET /api/v1/workflows/:workflow/machines/proposals/:number": "viewer",
  "POST /api/v1/workflows/:workflow/machines/proposals/:number/shadow": "operator",
  "POST /api/v1/workflows/:workflow/machines/snapshot": "operator",
  "POST /api/v1/workflows/:workflow/machines/gc": "admin",
  "GET /api/v1/workflows/:workflow/runs": "viewer",
  "GET /api/v1/workflows/:workflow/runs/:runId/trace": "viewer",
  "GET /api/v1/workflows/:workflow/wedges": "viewer",
  "GET /api/v1/workflows/:workflow/why": "viewer",
  "GET /api/v1/workflows/:workflow/why/:id{.+}": "viewer",
};

/**
 * What a token that reaches some workflows only may ask for beside them: it is then told of those
 * alone. All else that is not below one of them is the host's, and not for it.
 */
export const withinReach: ReadonlySet<string> = new Set([
  "GET /api/v1/me",
  "POST /logout",
  "POST /api/v1/login-codes",
  "GET /api/v1/workflows",
  "GET /api/v1/attention",
  "GET /api/v1/activity",
  "GET /api/v1/brake",
  "GET /api/v1/live",
  "POST /api/v1/versions",
  "POST /api/v1/executors/:executor/take",
  "POST /api/v1/executors/:executor/receipts",
]);

/**
 * A browser that was let in for a while makes nothing that lets somebody in for longer, and
 * executes nothing.
 */
export const notByVisit: ReadonlySet<string> = new Set([
  "POST /api/v1/login-codes",
  "POST /api/v1/tokens",
  "POST /api/v1/executors/:executor/take",
  "POST /api/v1/executors/:executor/receipts",
]);

/**
 * The same for every command, however it is asked for. To stop is easier than to let go: an
 * operator sets a brake, an admin releases it.
 */
export const commandRoles: Readonly<Record<InboxKind, Role>> = {
  activate_version: "admin",
  set_envelope: "admin",
  archive_workflow: "admin",
  restore_workflow: "admin",
  reset_topic: "admin",
  reset_producer: "admin",
  release_brake: "admin",
  set_brake: "operator",
  pause_workflow: "operator",
  resume_workflow: "operator",
  publish_event: "operator",
  receive_delivery: "operator",
  skip_event: "operator",
  skip_input: "operator",
  reprocess_event: "operator",
  reprocess_input: "operator",
  run_now: "operator",
  resume_run: "operator",
  retry_run: "operator",
  stop_run: "operator",
  approve_mutation: "operator",
  reject_mutation: "operator",
  edit_mutation: "operator",
  resolve_mutation: "operator",
  acknowledge: "operator",
  continue_restored: "operator",
  reprocess_items: "operator",
  skip_item: "operator",
  start_fresh: "admin",
  accept_payload: "operator",
  send_to_machine: "operator",
  cancel_intent: "operator",
  restart_cell: "operator",
  snapshot_machines: "operator",
  propose_version: "admin",
  shadow_version: "operator",
  decide_version: "admin",
  apply_version: "admin",
};
