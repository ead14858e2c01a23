import type { HoldfastConfig } from "./config-shape.ts";

/** What `holdfast.config.ts` exports; the types are for its author's editor. */
export function defineConfig(config: HoldfastConfig): HoldfastConfig {
  return config;
}
