/** Compressed bytes of all JavaScript that the first view of the page loads. */
export async function firstViewBytes(url: string): Promise<number> {
  const html = await (await fetch(url)).text();
  const names = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, name]) => name);
  const sizes = await Promise.all(
    names.map(async (name) => {
      const headers = { "accept-encoding": "br", host: new URL(url).host };
      const { headers: said } = await fetch(`${url}${name}`, { method: "HEAD", headers });
      return Number(said.get("content-length"));
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
