import { StandInShop, type Subject, type TestClock } from "@holdfast/connector-kit/conformance";
import { http } from "../http/connector.ts";
import { webhook } from "../webhook/connector.ts";

const keyHeader = "Idempotency-Key";
/** How late the stand-in shows a change at most. */
const showsAfterMs = 800;

type ShopSubject = Pick<Subject, "name"> & {
  /** What the account says beside its address. */
  readonly account: object;
  readonly hasKeys?: boolean;
};

/** An order at the stand-in, by `http`. */
export function orderSubject({ name, account, hasKeys = false }: ShopSubject): Subject {
  return {
    name,
    connect: (baseUrl) => {
      return http.connect("shop", {
        connector: "http",
        baseUrl,
        allowPrivateAddresses: true,
        ...account,
      });
    },
    operation: "post",
    params: { path: "/orders", body: { sum: 5 } },
    openService: (clock) => openShop(clock, hasKeys),
    showsAfterMs,
  };
}

function openShop(clock: TestClock, hasKeys: boolean): Promise<StandInShop> {
  return StandInShop.open({ clock, keyHeader: hasKeys ? keyHeader : null });
}

export const keyAccount = { idempotency: { header: keyHeader, retentionMs: 86_400_000 } };

const lookupAccount = {
  lookup: {
    path: "/orders",
    query: { ref: "{key}" },
    sentAs: { field: "ref" },
    found: "/orders",
    match: { "/ref": "{key}" },
    status: 201,
    visibilityDelayMs: 1_000,
  },
};

export const httpByKey = orderSubject({
  name: "http, by key",
  account: keyAccount,
  hasKeys: true,
});

export const httpByLookup = orderSubject({ name: "http, by lookup", account: lookupAccount });

export const httpByBoth = orderSubject({
  name: "http, by key and lookup",
  account: { ...keyAccount, ...lookupAccount },
  hasKeys: true,
});

export const httpByNeither = orderSubject({ name: "http, by neither", account: {} });

export const webhookPush: Subject = {
  name: "webhook",
  connect: (baseUrl) => {
    return webhook.connect("hook", {
      connector: "webhook",
      url: `${baseUrl}/hooks/orders`,
      secret: "known to the stand-in and nobody else",
      allowPrivateAddresses: true,
    });
  },
  operation: "send",
  params: { event: "order.booked", data: { number: 7 } },
  openService: (clock) => openShop(clock, false),
  showsAfterMs,
};

export const subjects = [httpByKey, httpByLookup, httpByBoth, httpByNeither, webhookPush];
