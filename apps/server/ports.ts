import type {
  ActivateVersion,
  Connections,
  Hash,
  HostedScript,
  OperationName,
} from "@holdfast/core";

/** What a script declares of the accounts it needs. */
export type DeclaredConnection = {
  readonly name: string;
  readonly connector: string;
  /** Null = the only account of that connector. */
  readonly account: string | null;
};

/** What a script calls a secret of the host's. */
export type DeclaredSecret = {
  readonly name: string;
  readonly binding: string;
  /** Null = whatever stands there. */
  readonly digest: string | null;
};

/** One module or several, by their names. */
export type ScriptText = {
  readonly entry: string;
  readonly files: Readonly<Record<string, string>>;
};

export type OpenedScript = {
  /** As its author wrote it. */
  readonly source: ScriptText;
  readonly manifest: {
    readonly name: string;
    readonly connections: readonly DeclaredConnection[];
    readonly secrets?: readonly DeclaredSecret[];
    /** What it uses, a place in its code each. */
    readonly operations: readonly OperationName[];
    readonly machines: readonly object[];
    readonly producers: readonly {
      readonly name: string;
      readonly start:
        | { readonly kind: "webhook"; readonly options: Readonly<Record<string, string>> }
        | { readonly kind: "interval" | "cron" | "topics" | "manual" };
    }[];
  };
  /** `connection.operation` that the script uses. */
  readonly uses: readonly string[];
  host(connections: Connections): HostedScript;
};

export type PackedScript =
  | {
      readonly ok: true;
      readonly bytes: Uint8Array;
      readonly hash: Hash;
      readonly manifest: OpenedScript["manifest"];
      readonly declarations: Pick<
        ActivateVersion,
        "topics" | "handlers" | "connections" | "machines"
      >;
      readonly uses: readonly string[];
      readonly problems: readonly object[];
    }
  | { readonly ok: false; readonly problems: readonly object[] };

/** Makes versions that can be deployed out of what authors write, and opens them again. */
export interface ScriptWorkshop {
  pack(source: ScriptText): Promise<PackedScript>;
  open(bytes: Uint8Array): Promise<OpenedScript>;
}
