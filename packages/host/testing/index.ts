export { Sender } from "../engine/sender.ts";
export { plainCall } from "./plain-call.ts";
export { Random } from "./random.ts";
export { fuzzScale } from "./random-history.ts";
export { settle, VirtualProcess, VirtualTime } from "./virtual-time.ts";
