/** A connection that leads to another account than it did. */
export type LedElsewhere = {
  readonly connection: string;
  /** In words: connector and account. */
  readonly was: string;
  readonly is: string;
};

/**
 * Connections are compared by what they lead to, because grants name a connection and not its
 * account. One that is not declared leads to the account of its own name.
 */
export function ledElsewhere(
  before: readonly string[],
  after: readonly string[],
): readonly LedElsewhere[] {
  const [was, is] = [leadsOf(before), leadsOf(after)];
  return [...new Set([...was.keys(), ...is.keys()])].sort().flatMap((connection) => {
    const [old, now] = [was.get(connection), is.get(connection)];
    if (isSameLead(connection, old, now)) return [];
    const own = `the account ${connection}`;
    return [{ connection, was: old ?? own, is: now ?? own }];
  });
}

/** Of the texts of a version only the declared ones say where they lead: `shop (http of acme)`. */
function leadsOf(connections: readonly string[]): ReadonlyMap<string, string> {
  const leads = new Map<string, string>();
  for (const text of connections) {
    const at = text.indexOf(" (");
    if (at > 0) leads.set(text.slice(0, at), text.slice(at + 2, -1));
  }
  return leads;
}

function isSameLead(name: string, old: string | undefined, now: string | undefined): boolean {
  if (old !== undefined && now !== undefined) return old === now;
  const [, account] = (old ?? now ?? "").split(/ of (.*)/s);
  return account === name;
}
