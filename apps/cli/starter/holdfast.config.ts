import { defineConfig } from "@holdfast/server/config";

export default defineConfig({
  store: ".holdfast",
  port: 7434,
  accounts: "accounts.json",
  workflows: { "first.js": { allow: ["shop.post"] } },
});
