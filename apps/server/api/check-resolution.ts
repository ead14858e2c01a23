import { type CanonicalValue, decodeCanonical, type MutationRow, type Store } from "@holdfast/core";
import { type ConnectedWorld, type Finding, lookOnce, realTimers } from "@holdfast/host";
import { ApiProblem } from "./problem.ts";

type Json = Readonly<Record<string, CanonicalValue>>;

export type ResolutionParts = {
  readonly store: Store;
  /** The outside of the version that is active; null = there is none. */
  readonly activeWorld: (workflow: string) => Promise<ConnectedWorld | null>;
};

/**
 * A person's word on an unknown outcome, held against what can be known before it is given to the
 * workflow: a result has to be one that the operation could have answered, and where the service
 * can be asked, it is, once. What it says goes into the ledger with the word.
 */
export async function checkResolution(
  parts: ResolutionParts,
  workflow: string,
  body: Json,
): Promise<Json> {
  const { insist, ...answer } = (body["answer"] ?? {}) as Json;
  const given = { ...body, answer };
  const { says, result = null } = answer;
  if (says !== "happened" && says !== "did_not_happen") return given;
  const mutation = await findMutation(parts.store, workflow, body["mutationId"]);
  // The workflow's owner says that there is none.
  if (mutation === null) return given;
  const world = await parts.activeWorld(workflow);
  const fault = result === null ? null : (world?.faultOfResult(mutation, result) ?? null);
  if (fault !== null) throw notAResult(mutation, fault);
  const found =
    world === null || !mutation.canReconcile
      ? null
      : await lookOnce({ ...parts, timers: realTimers }, world, { workflow, mutation });
  const held = { found, isInsisted: insist === true };
  const checked = says === "happened" ? happened(held) : didNotHappen(held);
  return { ...given, answer: { ...answer, ...checked } };
}

type Held = {
  /** Null = nobody can be asked. */
  readonly found: Finding | null;
  readonly isInsisted: boolean;
};

/** If the service has it, its own result counts, whatever was said. */
function happened({ found, isInsisted }: Held): Json {
  switch (found?.says) {
    case "applied":
      return {
        result: decodeCanonical(found.result),
        seen: "the service has it, and its own result is taken",
      };
    case "not_found": {
      const seen = `the service does not find it (${found.note})`;
      if (!isInsisted) throw contradicted("service_does_not_find_it", seen);
      return { seen: `${seen}, and they insisted` };
    }
    default:
      return { seen: `taken at their word: ${whyNotSure(found)}` };
  }
}

/** What is done again by mistake cannot be taken back. */
function didNotHappen({ found, isInsisted }: Held): Json {
  switch (found?.says) {
    case "applied": {
      const seen = "the service has it";
      if (!isInsisted) throw contradicted("service_has_it", seen);
      return { seen: `${seen}, and they insisted` };
    }
    case "not_found":
      return { seen: `the service does not find it either (${found.note})` };
    default:
      return { seen: `taken at their word: ${whyNotSure(found)}` };
  }
}

function whyNotSure(found: Exclude<Finding, { says: "applied" }> | null): string {
  return found === null ? "nobody can be asked" : `the service did not say (${found.note})`;
}

function contradicted(refusal: string, seen: string): ApiProblem {
  return new ApiProblem(409, "COMMAND_REFUSED", `It was looked, and ${seen}.`, {
    refusal,
    remedy: "Nothing was changed. Look there yourself; if you are sure, say it with --insist.",
  });
}

function notAResult({ connection, operation }: MutationRow, fault: string): ApiProblem {
  const detail = `result${fault}. ${connection}.${operation} would never have answered that.`;
  const remedy = "Nothing was changed. Correct the result, or leave it out: then it is null.";
  return new ApiProblem(422, "REQUEST_INVALID", detail, { remedy });
}

async function findMutation(
  store: Store,
  workflow: string,
  id: CanonicalValue | undefined,
): Promise<MutationRow | null> {
  if (typeof id !== "string") return null;
  const need = { kind: "row", table: "mutations", key: [id] } as const;
  const { rows } = await store.load(workflow, [need]);
  const found = rows.find((each) => each.table === "mutations");
  return found?.table === "mutations" ? found.row : null;
}
