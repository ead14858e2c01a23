import type { ProjectionsOf } from "../journal/projection.ts";
import { insertRow, type RowChange, updateRow } from "../view/row-change.ts";
import type {
  HandlerDeclaration,
  TopicDeclaration,
  VersionActivated,
  WorkflowFact,
} from "./workflow-facts.ts";

export const projectWorkflow: ProjectionsOf<WorkflowFact> = {
  workflow_created: (fact, { at }) => [
    insertRow("workflows", {
      name: fact.name,
      status: "active",
      error: null,
      versionMajor: 0,
      versionMinor: 0,
      scriptHash: null,
      inboxThrough: 0,
      checkpointSeq: 0,
      createdAt: at,
      connections: null,
      storeIncarnation: null,
      restoredThrough: null,
      behindRestore: null,
      envelope: 0,
      deployedBy: null,
      proposedBy: null,
      machineSeq: 0,
      machineDueAt: null,
      machineInputSeq: 0,
      machineThrough: 0,
      definitions: null,
      proposalCount: 0,
      applying: null,
      restoredMachineSeq: null,
      machineTurns: 0,
    }),
  ],
  version_activated: (fact) => versionRows(fact),
  workflow_paused: () => [updateRow("workflows", [], { status: "paused" })],
  workflow_resumed: () => [updateRow("workflows", [], { status: "active" })],
  workflow_archived: () => [updateRow("workflows", [], { status: "archived" })],
  workflow_restored: () => [updateRow("workflows", [], { status: "paused" })],
  workflow_errored: (fact) => [updateRow("workflows", [], { error: fact.error })],
  workflow_error_cleared: () => [updateRow("workflows", [], { error: null })],
};

function versionRows(fact: VersionActivated): RowChange[] {
  return [
    updateRow("workflows", [], {
      versionMajor: fact.major,
      versionMinor: fact.minor,
      scriptHash: fact.scriptHash,
      connections: fact.connections,
      // Older records do not say.
      deployedBy: fact.actor ?? null,
      proposedBy: fact.proposedBy ?? null,
      definitions: fact.definitions ?? null,
    }),
    ...fact.newTopics.map(newTopic),
    ...fact.keptTopics.map(({ name, ...declared }) =>
      updateRow("topics", [name], { ...declared, ...forMachines(declared), declared: true }),
    ),
    ...fact.goneTopics.map((name) =>
      updateRow("topics", [name], { subscriber: null, declared: false, machines: false }),
    ),
    ...fact.newHandlers.map(newHandler),
    // New code may select what the old code left: every handler looks at everything once more.
    ...fact.keptHandlers.map(({ name, forms = null, ...declared }) =>
      updateRow("handlers", [name], { ...declared, forms, declared: true, checkedThrough: 0 }),
    ),
    ...fact.goneHandlers.map((name) =>
      updateRow("handlers", [name], {
        declared: false,
        nextRunAt: null,
        wakeAt: null,
        calledAt: null,
      }),
    ),
  ];
}

function newTopic(declaration: TopicDeclaration): RowChange {
  const row = { ...declaration, ...forMachines(declaration), lastPendingSeq: 0, declared: true };
  return insertRow("topics", row);
}

/** Older records do not say. */
function forMachines({ machines }: Pick<TopicDeclaration, "machines">) {
  return { machines: machines ?? false };
}

function newHandler(declaration: HandlerDeclaration): RowChange {
  return insertRow("handlers", {
    ...declaration,
    forms: declaration.forms ?? null,
    freshFrom: null,
    declared: true,
    state: null,
    checkedThrough: 0,
    wakeAt: null,
    crashCount: 0,
    waitingCount: 0,
    calledAt: null,
  });
}
