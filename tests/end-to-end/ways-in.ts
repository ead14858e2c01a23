import type { InboxKind } from "@holdfast/core";

/** How people and programs ask for each command of the core. */
export type Way = {
  /** The operation of the API. */
  readonly api: string;
  /** What is typed; null = nothing, and why. */
  readonly cli: string | null;
  readonly why?: string;
};

const commands = "POST /api/v1/workflows/:workflow/commands";
const answers = "POST /api/v1/workflows/:workflow/attention/:id";

export const waysIn: Readonly<Record<InboxKind, Way>> = {
  activate_version: { api: "POST /api/v1/versions", cli: "deploy" },
  set_envelope: { api: "POST /api/v1/workflows/:workflow/grants", cli: "grants set" },
  archive_workflow: { api: commands, cli: "workflow archive" },
  restore_workflow: { api: commands, cli: "workflow unarchive" },
  reset_topic: { api: commands, cli: "topics reset" },
  reset_producer: { api: commands, cli: "producer reset" },
  release_brake: { api: commands, cli: "brake off" },
  set_brake: { api: commands, cli: "brake on" },
  pause_workflow: { api: commands, cli: "workflow pause" },
  resume_workflow: { api: commands, cli: "workflow resume" },
  publish_event: { api: commands, cli: "events publish" },
  receive_delivery: {
    api: "POST /hooks/:workflow/:path",
    cli: null,
    why: "a delivery comes from a service; by hand, an event is published",
  },
  skip_event: { api: commands, cli: "events skip" },
  skip_input: { api: commands, cli: "inputs skip" },
  reprocess_event: { api: commands, cli: "events reprocess" },
  reprocess_input: { api: commands, cli: "inputs reprocess" },
  run_now: { api: commands, cli: "workflow run-now" },
  resume_run: { api: commands, cli: "runs resume" },
  retry_run: { api: commands, cli: "runs retry" },
  stop_run: { api: commands, cli: "runs stop" },
  approve_mutation: { api: answers, cli: "approve" },
  edit_mutation: { api: `${answers}/edit`, cli: "edit" },
  reject_mutation: { api: answers, cli: "reject" },
  resolve_mutation: { api: answers, cli: "attention answer" },
  acknowledge: { api: answers, cli: "attention answer" },
  continue_restored: { api: answers, cli: "attention answer" },
  reprocess_items: { api: commands, cli: "items reprocess" },
  skip_item: { api: commands, cli: "items skip" },
  start_fresh: { api: commands, cli: "items fresh" },
  accept_payload: { api: answers, cli: "attention answer" },
  send_to_machine: { api: commands, cli: "machine send" },
  cancel_intent: { api: commands, cli: "machine cancel" },
  restart_cell: { api: commands, cli: "machine restart" },
};

/** What is typed is typed in a test: in one of these files, or in every-way-in.test.ts itself. */
export const typedIn: Readonly<Record<string, string>> = {
  start: "tests/end-to-end/host-process.ts",
  init: "tests/end-to-end/dev.test.ts",
  dev: "tests/end-to-end/dev.test.ts",
  answer: "tests/end-to-end/unknown-outcomes.test.ts",
  approve: "tests/end-to-end/grants.test.ts",
  "approve-all": "tests/end-to-end/approve-all.test.ts",
  edit: "tests/end-to-end/edits.test.ts",
  reject: "tests/end-to-end/grants.test.ts",
  "grants show": "tests/end-to-end/grants.test.ts",
  "grants set": "tests/end-to-end/grants.test.ts",
  "grants diff": "tests/end-to-end/grants.test.ts",
  "grants allow-like": "tests/end-to-end/standing-rules.test.ts",
  "grants needed": "tests/end-to-end/grants.test.ts",
  "items ls": "tests/end-to-end/items.test.ts",
  "items show": "tests/end-to-end/items.test.ts",
  "items reprocess": "tests/end-to-end/items.test.ts",
  "items skip": "tests/end-to-end/items.test.ts",
  "items fresh": "tests/end-to-end/items.test.ts",
  "machine cells": "tests/end-to-end/machines.test.ts",
  "machine instances": "tests/end-to-end/machines.test.ts",
  "machine intents": "tests/end-to-end/machines.test.ts",
  "machine state": "tests/end-to-end/machines.test.ts",
  "machine journal": "tests/end-to-end/machines.test.ts",
  "machine timeline": "tests/end-to-end/machines.test.ts",
  "machine replay": "tests/end-to-end/machines.test.ts",
  "machine gc": "tests/end-to-end/machines.test.ts",
  "machine send": "tests/end-to-end/machines.test.ts",
  "machine restart": "tests/end-to-end/machines.test.ts",
  "machine cancel": "tests/end-to-end/machines.test.ts",
  "connect resume": "tests/end-to-end/sign-in.test.ts",
  "repair show": "tests/end-to-end/unknown-outcomes.test.ts",
  "brake on": "tests/end-to-end/brake-all.test.ts",
  "brake off": "tests/end-to-end/brake-all.test.ts",
  "attention show": "tests/end-to-end/unknown-outcomes.test.ts",
  "login-link": "tests/end-to-end/login.test.ts",
  validate: "apps/cli/commands/validate.test.ts",
  deploy: "tests/end-to-end/start-and-deploy.test.ts",
  verify: "tests/end-to-end/host-process.ts",
  checkpoint: "apps/cli/commands/checkpoint.test.ts",
  backup: "tests/end-to-end/backup.test.ts",
  restore: "tests/end-to-end/backup.test.ts",
  doctor: "tests/end-to-end/doctor.test.ts",
  "schema print": "apps/cli/cli.test.ts",
  "schema apply": "apps/cli/postgres.test.ts",
  "secrets seal": "tests/end-to-end/host-process.ts",
  "token create": "tests/end-to-end/own-host.ts",
  "token ls": "tests/end-to-end/tokens.test.ts",
  "token revoke": "tests/end-to-end/tokens.test.ts",
  "accept-restored": "tests/end-to-end/restore.test.ts",
};

/** The same for the API, but for what can be read: openapi.test.ts reads it all. */
export const askedIn: Readonly<Record<string, string>> = {
  "GET /metrics": "tests/end-to-end/readiness.test.ts",
  "GET /login": "tests/end-to-end/login.test.ts",
  "GET /login.js": "tests/end-to-end/login.test.ts",
  "GET /login.css": "tests/end-to-end/login.test.ts",
  "GET /": "tests/page/page.test.ts",
  "GET /page/:place{.+}": "tests/page/page.test.ts",
  "GET /assets/:file": "tests/page/page.test.ts",
  "POST /login": "tests/end-to-end/own-host.ts",
  "POST /logout": "tests/end-to-end/login.test.ts",
  "POST /api/v1/login-codes": "tests/end-to-end/own-host.ts",
  "POST /api/v1/workflows/:workflow/attention/:id/edit": "tests/end-to-end/edits.test.ts",
  "POST /api/v1/workflows/:workflow/attention/:id/allow-like":
    "tests/end-to-end/standing-rules.test.ts",
  "POST /api/v1/tokens": "tests/end-to-end/every-way-in.test.ts",
  "DELETE /api/v1/tokens/:name": "tests/end-to-end/every-way-in.test.ts",
  "GET /api/v1/live": "tests/end-to-end/live-client.ts",
  "POST /hooks/:workflow/:path": "tests/end-to-end/webhooks.test.ts",
  "POST /api/v1/brake": "tests/end-to-end/roles.test.ts",
  "POST /api/v1/workflows/:workflow/machines/gc": "tests/end-to-end/machines.test.ts",
  "POST /api/v1/versions": "tests/end-to-end/story.ts",
  "POST /api/v1/accounts/:account/resume": "tests/end-to-end/every-way-in.test.ts",
  "POST /api/v1/workflows/:workflow/commands": "tests/end-to-end/story.ts",
  "POST /api/v1/workflows/:workflow/grants": "tests/end-to-end/every-way-in.test.ts",
  "POST /api/v1/workflows/:workflow/attention/:id": "tests/end-to-end/every-way-in.test.ts",
};
