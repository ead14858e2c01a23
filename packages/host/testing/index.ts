export { settle, VirtualProcess, VirtualTime } from "./virtual-time.ts";
