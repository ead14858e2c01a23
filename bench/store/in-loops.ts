/** `atOnce` loops, each taking the next of its own items when its last one is done. */
export async function inLoops<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const loop = async (first: number): Promise<void> => {
    for (let index = first; index < items.length; index += atOnce) {
      const item = items[index];
      if (item !== undefined) await work(item);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, (_, first) => loop(first)));
}
