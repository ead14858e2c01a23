export { keyPlaceOf, readOrMakeKey } from "./key.ts";
export { sealText } from "./sealed-text.ts";
