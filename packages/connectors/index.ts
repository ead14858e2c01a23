export { http } from "./http/connector.ts";
