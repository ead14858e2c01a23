import { expect, test } from "vitest";
import { Owner } from "../testing/change-builder.ts";
import { newFolder, openStore, startOfTime } from "./testing/folder.ts";

test("[R135] whoever holds the folder takes a dead host's work at once, as unclean", async () => {
  const folder = newFolder();
  const first = await openStore(folder);
  await (await Owner.create(first)).persistChange({ dueAt: startOfTime });
  await first.openHost({ incarnation: "host-1", leaseMs: 3_600_000 });
  expect((await first.claim("host-1", 1)).claims).toHaveLength(1);
  await first.openHost({ incarnation: "host-2", leaseMs: 1_000 });
  expect((await first.claim("host-2", 1)).claims).toEqual([]);
  await first.close();

  const second = await openStore(folder);
  expect(await second.heartbeat("host-1")).toBe(false);
  await second.openHost({ incarnation: "host-3", leaseMs: 1_000 });
  expect((await second.claim("host-3", 1)).claims).toMatchObject([
    { workflow: "orders", unclean: true },
  ]);
});
