export { type MemoryStoreOptions, openMemoryStore } from "./open.ts";
