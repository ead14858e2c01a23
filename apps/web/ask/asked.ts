import { QueryClient, type UseQueryResult, useQuery } from "@tanstack/react-query";
import { AskProblem, get, type Query } from "./api.ts";
import { connection, Live } from "./live.ts";
import { loginState, watchLogin } from "./login-state.ts";

/** What tells of all workflows is asked anew when any of them moves. */
const ofAll = "*";
/** The host's own: no workflow changes it. */
const ofHost = "";
const overAll = ["/activity", "/attention", "/brake", "/workflows"];
/** Between two rounds of asking, however fast a workflow moves. */
const restMs = 300;

const retryMsMax = 10_000;

export const asked = new QueryClient({
  defaultOptions: {
    queries: {
      // The stream says when something is old.
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      retry: (count, error) => !(error instanceof AskProblem) && count < 3,
      retryDelay: (count) => Math.min(500 * 2 ** count, retryMsMax),
    },
  },
});

/** `/workflows/orders/runs` is of the workflow `orders`. */
function ownerOf(path: string): string {
  const [, named] = /^\/workflows\/([^/]+)/.exec(path) ?? [];
  if (named !== undefined) return decodeURIComponent(named);
  return overAll.includes(path) ? ofAll : ofHost;
}

export function keyOf(path: string, query: Query = {}): readonly unknown[] {
  return [ownerOf(path), path, query];
}

/** What the host says now, and from then on; null = nothing is asked. */
export function useAsk<T>(path: string | null, query: Query = {}): UseQueryResult<T> {
  return useQuery<T>({
    queryKey: keyOf(path ?? "", query),
    queryFn: ({ signal }) => get<T>(path ?? "", query, signal),
    enabled: path !== null,
  });
}

const changed = new Set<string>();
let isAsking = false;

/** One round at a time, the first at once. */
async function askAnew(): Promise<void> {
  if (isAsking) return;
  isAsking = true;
  while (changed.size > 0) {
    const moved = new Set(changed);
    changed.clear();
    const predicate = ({ queryKey: [owner] }: { queryKey: readonly unknown[] }) => {
      return moved.has(ofAll) || owner === ofAll || moved.has(String(owner));
    };
    const beginning = asked.getQueryCache().findAll({ predicate, fetchStatus: "fetching" });
    const first = beginning.filter(({ state }) => state.data === undefined);
    await asked.invalidateQueries({ predicate });
    // A first answer that was on its way is not asked for twice, and may be from before the change.
    for (const { queryKey } of first) changed.add(String(queryKey[0]));
    await new Promise((resume) => setTimeout(resume, restMs));
  }
  isAsking = false;
}

function moved(workflow: string): void {
  changed.add(workflow);
  void askAnew();
}

/** Once, at the start of the page. */
export function followChanges(): void {
  const live = new Live({ changed: moved, missed: () => moved(ofAll) });
  live.start();
  watchLogin(() => {
    loginState.set("in");
    live.again();
    moved(ofAll);
  });
  // What could not be asked while nobody answered is asked when somebody does.
  connection.listen(() => {
    if (connection.read().kind === "live") {
      void asked.refetchQueries({ predicate: ({ state }) => state.status === "error" });
    }
  });
}
