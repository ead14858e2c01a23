export { Permissions } from "../engine/permissions.ts";
export { Sender } from "../engine/sender.ts";
export { grantsForAll } from "./grants-for-all.ts";
export { plainCall } from "./plain-call.ts";
export { Random } from "./random.ts";
export { fuzzScale } from "./random-history.ts";
export { writeSampleHistory } from "./sample-history.ts";
export { settle, VirtualProcess, VirtualTime } from "./virtual-time.ts";
