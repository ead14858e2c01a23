export { effectsOf } from "../connector-effects.ts";
export { readSubjects, trySubject } from "./try-connector.ts";
