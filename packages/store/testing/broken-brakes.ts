import { type BrokenStore, broken } from "./broken-store.ts";

export const brokenBrakes: readonly BrokenStore[] = [
  broken(
    "forgets the brake on all sending",
    "has no brake on all sending until it is set, and none after it is released [R150]",
    () => ({ findStoreBrake: async () => null }),
  ),
  broken(
    "tells nobody of the brake on all sending",
    "tells a workflow of the last turn of the brake once, behind what came before [R150]",
    () => ({ tellOfStoreBrake: async () => {} }),
  ),
  broken(
    "lets workflows be created without the brake that is on",
    "begins the inbox of a workflow that is created under the brake with its command [R150]",
    (store) => {
      let isOn = false;
      return {
        turnStoreBrake: async ({ isOn: on, command: { commandId } }) => {
          isOn = on;
          return { commandId, changed: isOn };
        },
        createWorkflow: store.createWorkflow,
      };
    },
  ),
  broken(
    "takes every turn of the brake for a new one",
    "keeps the first of two brakes on all sending [R150]",
    (store) => ({
      turnStoreBrake: async (turn) => {
        const key = turn.command.commandId;
        await store.turnStoreBrake({ ...turn, isOn: false, key: `${key} off` });
        return store.turnStoreBrake({ ...turn, key });
      },
    }),
  ),
];
