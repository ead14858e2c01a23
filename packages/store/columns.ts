import {
  type ColumnKind,
  HostError,
  type Payload,
  type Rows,
  type TableName,
  type TableShape,
  tableNames,
  tables,
} from "@holdfast/core";

/**
 * How the core's table shapes become SQL columns and back; shared by every SQL adapter. Lists and
 * json are readable text. A payload takes three columns: `_digest` and not `_hash`, because a row
 * may have a column of that name beside it (`mutations.payloadHash`).
 */

export type SqlValue = null | number | string | Uint8Array;

export type SqlColumn = {
  readonly name: string;
  readonly type: "TEXT" | "INTEGER" | "BLOB";
  readonly nullable: boolean;
};

export type ColumnCodec = {
  /** Name of the column in the core's row. */
  readonly property: string;
  readonly columns: readonly SqlColumn[];
  /** Appends one value per SQL column. */
  readonly encode: (value: unknown, into: SqlValue[]) => void;
  /** Reads the SQL columns that start at `at`. */
  readonly decode: (from: readonly SqlValue[], at: number) => unknown;
};

export type TableCodec<T extends TableName = TableName> = {
  readonly table: T;
  readonly codecs: readonly ColumnCodec[];
  readonly columns: readonly SqlColumn[];
  /** SQL names of the key after the workflow id. */
  readonly key: readonly string[];
  readonly find: (property: string) => ColumnCodec;
  readonly isKey: (property: string) => boolean;
  readonly encodeRow: (row: Rows[T], into: SqlValue[]) => void;
  /** Takes the values in the order of `columns`, from `at` on. */
  readonly decodeRow: (values: readonly SqlValue[], at?: number) => Rows[T];
};

/** `versionMajor` → `version_major`. */
export function sqlName(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

type Form = Pick<ColumnCodec, "encode" | "decode"> & { readonly type: SqlColumn["type"] };

const plain = (type: SqlColumn["type"]): Form => ({
  type,
  encode: (value, into) => {
    into.push(value as SqlValue);
  },
  decode: (from, at) => from[at],
});

const flag: Form = {
  type: "INTEGER",
  encode: (value, into) => {
    into.push(value === true ? 1 : 0);
  },
  decode: (from, at) => from[at] === 1,
};

const json: Form = {
  type: "TEXT",
  encode: (value, into) => {
    into.push(value === null ? null : JSON.stringify(value));
  },
  decode: (from, at) => {
    const text = from[at];
    return typeof text === "string" ? parseJson(text) : null;
  },
};

/** Only we write these columns: text that is not JSON was put there by somebody else. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const found = JSON.stringify(text.slice(0, 100));
    throw differs(`A column that holds JSON holds ${found}.`, { found }, cause);
  }
}

/** What stands in for bytes was put there by somebody else, and is never an empty record. */
export function requireBytes(value: SqlValue | undefined, column: string): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw differs(`${column} holds no bytes but ${typeof value}.`, { column });
}

function differs(
  what: string,
  details: Readonly<Record<string, string>>,
  cause?: unknown,
): HostError {
  return new HostError("TABLES_DIFFER", {
    what,
    remedy: "Run `holdfast verify` and restore the database from a backup.",
    retry: "safe",
    cause,
    details,
  });
}

function payloadCodec(property: string, nullable: boolean): ColumnCodec {
  const name = sqlName(property);
  return {
    property,
    columns: [
      { name: `${name}_digest`, type: "TEXT", nullable },
      { name: `${name}_size`, type: "INTEGER", nullable },
      { name: `${name}_inline`, type: "BLOB", nullable: true },
    ],
    encode: (value, into) => {
      const payload = value as Payload | null;
      if (payload === null) into.push(null, null, null);
      else into.push(payload.hash, payload.size, payload.inline);
    },
    decode: (from, at) => {
      const hash = from[at];
      if (hash === null) return null;
      return { hash, size: from[at + 1], inline: from[at + 2] };
    },
  };
}

const forms: Readonly<Record<string, Form>> = {
  text: plain("TEXT"),
  int: plain("INTEGER"),
  flag,
  list: json,
  json,
};

function columnCodec(property: string, kind: ColumnKind): ColumnCodec {
  const nullable = kind.endsWith("?");
  const word = nullable ? kind.slice(0, -1) : kind;
  const form = forms[word];
  if (form === undefined) return payloadCodec(property, nullable);
  const { type, encode, decode } = form;
  return { property, columns: [{ name: sqlName(property), type, nullable }], encode, decode };
}

function tableCodec<T extends TableName>(table: T): TableCodec<T> {
  const shape: TableShape<T> = tables[table];
  const kinds: Readonly<Record<string, ColumnKind>> = shape.columns;
  const codecs = Object.entries(kinds).map(([property, kind]) => columnCodec(property, kind));
  const byProperty = new Map(codecs.map((codec) => [codec.property, codec]));
  const keyProperties = new Set<string>(shape.key);
  return {
    table,
    codecs,
    columns: codecs.flatMap((codec) => codec.columns),
    key: shape.key.map(sqlName),
    find: (property) => {
      const codec = byProperty.get(property);
      if (codec === undefined) throw new Error(`${table} has no column ${property}`);
      return codec;
    },
    isKey: (property) => keyProperties.has(property),
    encodeRow: (row, into) => {
      const values: Readonly<Record<string, unknown>> = row;
      for (const codec of codecs) codec.encode(values[codec.property], into);
    },
    decodeRow: (values, at = 0) => {
      const row: Record<string, unknown> = {};
      let next = at;
      for (const codec of codecs) {
        row[codec.property] = codec.decode(values, next);
        next += codec.columns.length;
      }
      return row as Rows[T];
    },
  };
}

export const tableCodecs = Object.fromEntries(
  tableNames.map((table) => [table, tableCodec(table)]),
) as unknown as { readonly [T in TableName]: TableCodec<T> };

/** The column that holds the workflow id: it leads every key. */
export function workflowColumn(table: TableName): string {
  return table === "workflows" ? "id" : "workflow";
}
