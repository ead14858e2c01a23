import { randomUUID } from "node:crypto";
import { encodeCanonical, everyBrake, type Store, type StoreBrakeTurn } from "@holdfast/core";
import { publishing, toldByStore } from "./load-commands.ts";
import { workflowName } from "./load-host.ts";
import { passingTrouble } from "./passing-trouble.ts";
import { say } from "./say.ts";

const everyMs = 150;

/**
 * What people and programs do on a host's pages meanwhile, whoever owns the workflow: they put
 * commands into inboxes, some of them twice, and look what has changed.
 */
export class Desk {
  readonly #store: Store;
  readonly #workflowCount: number;
  #timer: NodeJS.Timeout | null = null;
  #cursor: string | null = null;
  #working: Promise<void> = Promise.resolve();

  constructor(store: Store, workflowCount: number) {
    this.#store = store;
    this.#workflowCount = workflowCount;
  }

  open(): void {
    this.#timer = setTimeout(() => {
      this.#working = this.#serve().finally(() => {
        if (this.#timer !== null) this.open();
      });
    }, everyMs);
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#working;
  }

  async #serve(): Promise<void> {
    const workflow = workflowName(Math.floor(Math.random() * this.#workflowCount));
    const command = publishing(workflow, `hand-${randomUUID().slice(0, 8)}`);
    try {
      await this.#store.createWorkflow(workflow);
      await this.#store.appendCommand(command);
      await this.#store.appendCommand(command);
      this.#cursor = (await this.#store.readChanges(this.#cursor)).cursor;
      await this.#store.findStoreBrake();
      await this.#store.turnStoreBrake(nothingHeld());
      await this.#store.tellOfStoreBrake(workflow);
      await this.#store.readTraces(workflow, 0, 1);
      await this.#store.pruneTraces(0, 1);
      await this.#store.sweepParts(workflow, await this.#store.listParts(workflow, null, 1), 0);
    } catch (error) {
      say({ kind: "trouble", doing: "desk", note: passingTrouble(error) });
    }
  }
}

/** Releases a brake that is not on: every owner refuses it, and nothing else changes. */
function nothingHeld(): StoreBrakeTurn {
  const body = encodeCanonical({ operation: everyBrake });
  const commandId = `${toldByStore}${randomUUID()}`;
  const said = { commandId, actor: "ada", kind: "release_brake", at: Date.now() };
  return { isOn: false, reason: "", key: said.commandId, command: { ...said, body } };
}
