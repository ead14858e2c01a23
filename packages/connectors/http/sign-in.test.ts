import { ConnectorError, type Keeping, RenewedToken } from "@holdfast/connector-kit";
import { describe, expect, test } from "vitest";
import { failure } from "../testing/failure.ts";
import { type Seen, serveAnswers } from "../testing/serve.ts";
import { http } from "./connector.ts";

const { signal } = new AbortController();
const clientSecret = "a client's secret";
const refreshToken = "the first refresh token";

type Said = { readonly status: number; readonly body?: unknown };

/** Gives tokens t-1, t-2, …; what it does else is up to the test. */
class TokenService {
  readonly forms: URLSearchParams[] = [];
  answer: (count: number) => Said = (count) => ({
    status: 200,
    body: { access_token: `token-${count}`, token_type: "Bearer", expires_in: 3_600 },
  });
  readonly #url: string;

  private constructor(url: string) {
    this.#url = url;
  }

  static async open(): Promise<TokenService> {
    const { url } = await serveAnswers(({ body }) => service.#give(body));
    const service: TokenService = new TokenService(url);
    return service;
  }

  #give(body: string): Said {
    this.forms.push(new URLSearchParams(body));
    return this.answer(this.forms.length);
  }

  account(baseUrl: string, more: object = {}) {
    const tokenUrl = `${this.#url}/token`;
    const auth = { kind: "oauth2", grant: "client_credentials", clientId: "me", clientSecret };
    const own = { ...auth, tokenUrl, ...more };
    return { connector: "http", baseUrl, allowPrivateAddresses: true, auth: own };
  }
}

function poster(account: object, keeping?: Keeping) {
  const post = http.connect("shop", account, keeping).operations["post"];
  if (post === undefined) throw new Error("no post");
  const admitted = post.admit({ path: "/orders", body: { id: 1 } });
  return () => admitted.execute({ key: "k", timeoutMs: 5_000, signal, go: () => {} });
}

const shopThat = (answer: (seen: Seen) => Said) => serveAnswers(answer);
const tokensOf = (seen: readonly Seen[]) => seen.map(({ headers }) => headers["authorization"]);

describe("an account that asks for its tokens", () => {
  test("[R130] asks once, however many calls need one", async () => {
    const tokens = await TokenService.open();
    const shop = await shopThat(() => ({ status: 201, body: {} }));
    const post = poster(tokens.account(shop.url, { scope: "orders" }));
    await Promise.all(Array.from({ length: 20 }, post));
    await post();
    expect(new Set(tokensOf(shop.seen))).toEqual(new Set(["Bearer token-1"]));
    expect(shop.seen).toHaveLength(21);
    expect(tokens.forms.map((form) => Object.fromEntries(form))).toEqual([
      {
        grant_type: "client_credentials",
        client_id: "me",
        client_secret: clientSecret,
        scope: "orders",
      },
    ]);
  });

  test.each([
    [400, "auth, committed no"],
    [401, "auth, committed no"],
    [403, "auth, committed no"],
    [429, "transient, committed no"],
    [500, "transient, committed no"],
    [200, "transient, committed no"],
  ])("[R110] [R114] is told %i: %s, and nothing is sent", async (status, says) => {
    const tokens = await TokenService.open();
    const body = { error: `no, ${clientSecret}` };
    tokens.answer = () => ({ status, body });
    const shop = await shopThat(() => ({ status: 201 }));
    const post = poster(tokens.account(shop.url));
    const all = await Promise.all(Array.from({ length: 5 }, () => failure(post())));
    expect(new Set(all)).toEqual(new Set([says]));
    expect(tokens.forms).toHaveLength(1);
    expect(shop.seen).toEqual([]);
    const error = await post().catch((thrown: unknown) => String(thrown));
    expect(error).not.toContain(clientSecret);
  });

  test("asks anew for a token that was good and is over, and only then", async () => {
    const tokens = await TokenService.open();
    let isOver = false;
    const shop = await shopThat(({ headers }) => {
      return { status: isOver && headers["authorization"] === "Bearer token-1" ? 401 : 201 };
    });
    const post = poster(tokens.account(shop.url));
    await post();
    isOver = true;
    expect(await failure(post())).toBe("transient, committed no");
    await post();
    expect(tokensOf(shop.seen)).toEqual(
      ["token-1", "token-1", "token-2"].map((t) => `Bearer ${t}`),
    );
    const strict = await shopThat(() => ({ status: 401 }));
    expect(await failure(poster(tokens.account(strict.url))())).toBe("auth, committed no");
  });

  test("[R129] hides its tokens and secrets in whatever the service says", async () => {
    const tokens = await TokenService.open();
    const shop = await shopThat(({ headers }) => {
      return { status: 201, body: { you: headers["authorization"], and: clientSecret } };
    });
    const result = JSON.stringify(await poster(tokens.account(shop.url))());
    expect(result).toContain("(hidden)");
    expect(result).not.toContain("token-1");
    expect(result).not.toContain(clientSecret);
  });
});

describe("a refresh token that is given in place of another", () => {
  const grant = { grant: "refresh_token", refreshToken } as const;

  function keeping(): Keeping {
    let text: string | null = null;
    return {
      read: () => text,
      write: (given) => {
        text = given;
      },
    };
  }

  async function tokensThatTurn() {
    const tokens = await TokenService.open();
    tokens.answer = (count) => ({
      status: 200,
      body: { access_token: `token-${count}`, refresh_token: `refresh ${count}` },
    });
    const shop = await shopThat(() => ({ status: 201 }));
    return { tokens, account: (more = {}) => tokens.account(shop.url, { ...grant, ...more }) };
  }

  test("[R129] is used from then on, also by the next process", async () => {
    const { tokens, account } = await tokensThatTurn();
    const kept = keeping();
    await poster(account(), kept)();
    await poster(account(), kept)();
    const used = tokens.forms.map((form) => form.get("refresh_token"));
    expect(used).toEqual([refreshToken, "refresh 1"]);
  });

  test("is forgotten when the account is written anew", async () => {
    const { tokens, account } = await tokensThatTurn();
    const kept = keeping();
    await poster(account(), kept)();
    await poster(account({ refreshToken: "another beginning" }), kept)();
    expect(tokens.forms.at(-1)?.get("refresh_token")).toBe("another beginning");
  });
});

describe("a token", () => {
  function tokenOf(lastsMs: number | null) {
    const clock = { nowMs: 0 };
    let count = 0;
    const service = { isAway: false };
    const token = new RenewedToken({
      monotonicMs: () => clock.nowMs,
      renew: async () => {
        if (service.isAway) throw new ConnectorError("transient", "no", "not now");
        count += 1;
        return { token: `t-${count}`, lastsMs };
      },
    });
    const at = (nowMs: number) => {
      clock.nowMs = nowMs;
      return token.get(signal);
    };
    return { at, service };
  }

  test("[R143] is renewed five minutes before its end", async () => {
    const { at } = tokenOf(3_600_000);
    expect(await at(0)).toBe("t-1");
    expect(await at(3_299_999)).toBe("t-1");
    expect(await at(3_300_000)).toBe("t-2");
  });

  test("of a short life is renewed at half of it, one without an end never", async () => {
    const short = tokenOf(60_000);
    expect([await short.at(0), await short.at(29_999), await short.at(30_000)]).toEqual([
      "t-1",
      "t-1",
      "t-2",
    ]);
    const endless = tokenOf(null);
    expect([await endless.at(0), await endless.at(1e12)]).toEqual(["t-1", "t-1"]);
  });

  test("is used to its end while nobody gives another, and no longer", async () => {
    const { at, service } = tokenOf(3_600_000);
    await at(0);
    service.isAway = true;
    expect(await at(3_599_999)).toBe("t-1");
    expect(await failure(at(3_600_000))).toBe("transient, committed no");
  });

  test("is not waited for longer than a call has, and is there for the next one", async () => {
    const given = Promise.withResolvers<{ token: string; lastsMs: null }>();
    const asked: string[] = [];
    const renew = () => {
      asked.push("once");
      return given.promise;
    };
    const token = new RenewedToken({ renew, waitMsMax: 1 });
    expect(await failure(token.get(signal))).toBe("transient, committed no");
    given.resolve({ token: "t-1", lastsMs: null });
    await given.promise;
    expect(await token.get(signal)).toBe("t-1");
    expect(asked).toEqual(["once"]);
  });

  test("is waited for by others when one of them gives up", async () => {
    const given = Promise.withResolvers<{ token: string; lastsMs: null }>();
    const token = new RenewedToken({ renew: () => given.promise });
    const giveUp = new AbortController();
    const [one, other] = [failure(token.get(giveUp.signal)), token.get(signal)];
    giveUp.abort();
    expect(await one).toBe("transient, committed no");
    given.resolve({ token: "t-1", lastsMs: null });
    expect(await other).toBe("t-1");
  });
});
