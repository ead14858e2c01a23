export { http } from "./http/connector.ts";
export { mail } from "./mail/connector.ts";
export { webhook } from "./webhook/connector.ts";
