import type { Page } from "playwright-core";

/**
 * The page is opened anew, and its list of workflows is older than what changes, which is before
 * the page hears of anything: only who then asks once more sees it.
 */
export async function seesWhatChangedMeanwhile(page: Page, change: () => Promise<void>) {
  const [given, changed, heard] = [newGate(), newGate(), newGate()];
  await page.route(/api\/v1\/workflows(\?|$)/, holdAnswer(given, heard), { times: 1 });
  await page.route(/api\/v1\/live/, async (route) => {
    await changed.promise;
    await route.continue();
  });
  let asks = 0;
  page.on("request", (request) => {
    // Everything is asked once more as soon as the page is told of changes.
    if (/api\/v1\/attention/.test(request.url()) && ++asks === 2) heard.resolve();
  });
  await Promise.all([page.reload(), given.promise]);
  await change();
  changed.resolve();
  await heard.promise;
  await page.unrouteAll({ behavior: "wait" });
}

type Gate = PromiseWithResolvers<void>;

function newGate(): Gate {
  return Promise.withResolvers<void>();
}

function holdAnswer(given: Gate, until: Gate): Parameters<Page["route"]>[1] {
  return async (route) => {
    const response = await route.fetch();
    given.resolve();
    await until.promise;
    await route.fulfill({ response });
  };
}
