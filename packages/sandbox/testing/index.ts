export { answering, scriptOf, somePhase } from "./phases.ts";
