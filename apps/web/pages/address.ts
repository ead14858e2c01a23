/** Filters stand in the address: only those a page knows, and only as text. */
export function textsOf<N extends string>(...names: readonly N[]) {
  return (given: Readonly<Record<string, unknown>>): { readonly [K in N]?: string } => {
    const kept = names.flatMap((name) => {
      const value = given[name];
      const isText = typeof value === "string" || typeof value === "number";
      return isText && value !== "" ? [[name, String(value)] as const] : [];
    });
    return Object.fromEntries(kept) as { readonly [K in N]?: string };
  };
}
