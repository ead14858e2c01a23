/**
 * A node whose children go by the next byte. It stays as the rows it is kept in: of up to 256
 * children few are ever looked at, and a change of one copies the rows of all others as they are.
 */

/** A node that is kept, and how many entries are in and below it. */
export type NodeRef = { readonly hash: Uint8Array; readonly count: number };

/** A child is its byte, its count in four bytes and its hash. */
const countAt = 1;
const hashAt = 5;
const rowBytes = hashAt + 32;

/** `{ branch: rows }` as canonical bytes begin, up to how long the rows are. */
const opening = [0xd9, 0xd9, 0xf7, 0xa1, 0x66, 0x62, 0x72, 0x61, 0x6e, 0x63, 0x68] as const;
const bytesMajor = 0x40;

export class Branch {
  static readonly empty = new Branch(new Uint8Array(), 0, []);

  /** A piece of its node's bytes where it was made here. */
  readonly rows: Uint8Array;
  /** Of the entries below it. */
  readonly count: number;
  /** Children that were looked at: what was read of one is found by its very reference. */
  readonly #refs: (NodeRef | undefined)[];

  private constructor(rows: Uint8Array, count: number, refs: (NodeRef | undefined)[]) {
    this.rows = rows;
    this.count = count;
    this.#refs = refs;
  }

  /** Null = they are no rows, of each byte one at most and in order. */
  static read(rows: Uint8Array): Branch | null {
    if (rows.length === 0 || rows.length % rowBytes !== 0) return null;
    const view = viewOf(rows);
    let count = 0;
    let before = -1;
    for (let from = 0; from < rows.length; from += rowBytes) {
      const byte = view.getUint8(from);
      if (byte <= before) return null;
      before = byte;
      count += view.getUint32(from + countAt);
    }
    return new Branch(rows, count, []);
  }

  /** Null = there is none. */
  child(byte: number): NodeRef | null {
    const known = this.#refs[byte];
    if (known !== undefined) return known;
    const from = this.#rowOf(byte);
    if (from === null) return null;
    // A copy: it goes on into the branches after this one, and would hold all these rows.
    const hash = this.rows.slice(from + hashAt, from + rowBytes);
    const ref = { hash, count: viewOf(this.rows).getUint32(from + countAt) };
    this.#refs[byte] = ref;
    return ref;
  }

  /** Bytes that lead to a child, in order. */
  bytes(): readonly number[] {
    const all: number[] = [];
    for (let from = 0; from < this.rows.length; from += rowBytes) all.push(this.rows[from] ?? 0);
    return all;
  }

  /** Of its node, to be kept as they are: rows that were made here lie in them already. */
  nodeBytes(): Uint8Array {
    const { buffer, byteOffset, length } = this.rows;
    const head = headOf(length);
    if (byteOffset === head.length && buffer.byteLength === head.length + length) {
      const whole = new Uint8Array(buffer);
      if (head.every((byte, at) => whole[at] === byte)) return whole;
    }
    const rows = roomForRows(length);
    rows.set(this.rows);
    return new Uint8Array(rows.buffer);
  }

  /** With these in the place of what was there; null = nothing is there any more. */
  with(changes: ReadonlyMap<number, NodeRef | null>): Branch {
    const refs = this.#refs.slice();
    let count = this.count;
    for (const [byte, ref] of changes) {
      count += (ref?.count ?? 0) - (this.child(byte)?.count ?? 0);
      refs[byte] = ref ?? undefined;
    }
    return new Branch(this.#overwritten(changes) ?? this.#merged(changes), count, refs);
  }

  /** Null = children come or go: then there are more rows, or fewer. */
  #overwritten(changes: ReadonlyMap<number, NodeRef | null>): Uint8Array | null {
    const rows = roomForRows(this.rows.length);
    rows.set(this.rows);
    const view = viewOf(rows);
    for (const [byte, ref] of changes) {
      const from = this.#rowOf(byte);
      if (from === null || ref === null) return null;
      view.setUint32(from + countAt, ref.count);
      rows.set(ref.hash, from + hashAt);
    }
    return rows;
  }

  #merged(changes: ReadonlyMap<number, NodeRef | null>): Uint8Array {
    const kept = this.bytes().filter((byte) => !changes.has(byte));
    const added = [...changes].flatMap(([byte, ref]) => (ref === null ? [] : [byte]));
    const all = [...kept, ...added].sort((left, right) => left - right);
    const rows = roomForRows(all.length * rowBytes);
    const view = viewOf(rows);
    for (const [index, byte] of all.entries()) {
      const to = index * rowBytes;
      const ref = changes.get(byte) ?? null;
      const from = this.#rowOf(byte);
      if (ref !== null) {
        rows[to] = byte;
        view.setUint32(to + countAt, ref.count);
        rows.set(ref.hash, to + hashAt);
      } else if (from !== null) rows.set(this.rows.subarray(from, from + rowBytes), to);
    }
    return rows;
  }

  /** Where it begins; null = there is none. */
  #rowOf(byte: number): number | null {
    let [low, high] = [0, this.rows.length / rowBytes - 1];
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const found = this.rows[middle * rowBytes] ?? 0;
      if (found === byte) return middle * rowBytes;
      if (found < byte) low = middle + 1;
      else high = middle - 1;
    }
    return null;
  }
}

/** All that stands before so many bytes of rows. */
function headOf(length: number): readonly number[] {
  if (length < 24) return [...opening, bytesMajor + length];
  if (length < 0x100) return [...opening, bytesMajor + 24, length];
  return [...opening, bytesMajor + 25, length >>> 8, length & 0xff];
}

/** In the bytes of a node: up to ten KiB that are neither encoded nor copied once more. */
function roomForRows(length: number): Uint8Array {
  const head = headOf(length);
  const whole = new Uint8Array(head.length + length);
  whole.set(head);
  return whole.subarray(head.length);
}

function viewOf(rows: Uint8Array): DataView {
  return new DataView(rows.buffer, rows.byteOffset, rows.byteLength);
}
