export { http } from "./http/connector.ts";
export { webhook } from "./webhook/connector.ts";
