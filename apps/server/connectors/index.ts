export { readSubjects, trySubject } from "./try-connector.ts";
