import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { NewTokenAnswer, Role, TokenAnswer } from "@holdfast/protocol";
import { roles } from "@holdfast/protocol";
import {
  createToken,
  FileBook,
  forgetOwnToken,
  nameOfUser,
  revokeToken,
} from "@holdfast/server/access";
import { Command, Option } from "commander";
import { durationMs } from "../duration.ts";
import { example, group } from "../group.ts";
import { HostClient, isUnreachable } from "../host-client.ts";
import { print, table, timeText } from "../print.ts";
import { findPlace, UsageError } from "../store-place.ts";

type Options = { readonly data?: string; readonly json: boolean };
type CreateOptions = Options & {
  readonly role: Role;
  readonly expires?: string;
  readonly workflows?: readonly string[];
};

export function tokenCommand(): Command {
  return group("token", [
    example(common(new Command("ls").description("list the tokens")).action(list), "token ls"),
    createCommand(),
    example(
      common(new Command("revoke").description("end a token, and whoever is logged in with it"))
        .argument("<name>")
        .action(revoke),
      "token revoke anna",
    ),
  ]);
}

function createCommand(): Command {
  const command = common(new Command("create").description("make a token; it is printed once"))
    .argument("<name>", "who asks with it, as the journal will say")
    .addOption(new Option("--role <role>", "what it may do").choices(roles).makeOptionMandatory())
    .option("--expires <time>", "such as 90m, 12h or 30d (default: never)")
    .option("--workflows <names...>", "it reaches these and nothing else (default: everything)")
    .action(create);
  return example(
    command,
    "token create anna --role operator --expires 30d",
    "token create robot --role operator --workflows orders bills",
  );
}

function common(command: Command): Command {
  return command
    .option("--data <folder>", "data folder of the host")
    .option("--json", "one line of JSON", false);
}

async function create(name: string, options: CreateOptions): Promise<void> {
  const { role, expires, workflows = null } = options;
  const expiresInMs = expires === undefined ? null : durationMs(expires);
  const { answer, through } = await either<NewTokenAnswer>(options, {
    host: (client) =>
      client.post("/tokens", {
        name,
        role,
        ...(expiresInMs === null ? {} : { expiresInMs }),
        ...(workflows === null ? {} : { workflows }),
      }),
    file: (book) => {
      const by = nameOfUser();
      const made = createToken(book, { name, role, expiresInMs, workflows, by, now: Date.now() });
      return { ...made.entry, token: made.token };
    },
  });
  const ends = answer.expiresAt === null ? "never expires" : `until ${timeText(answer.expiresAt)}`;
  print(options.json, told(answer, through), () => {
    const who = `${answer.name} (${answer.role}, ${ends}); it is not shown again:`;
    return `${through}\n${who}\n${answer.token}`;
  });
}

async function list(options: Options): Promise<void> {
  const { answer, through } = await either<{ items: readonly TokenAnswer[] }>(options, {
    host: (client) => client.get("/tokens"),
    file: (book) => ({ items: book.isThere ? book.read().tokens : [] }),
  });
  const items = answer.items.map(shown);
  print(options.json, { items, through }, () => {
    const rows = items.map(({ name, role, createdAt, createdBy, expiresAt, workflows }) => {
      const ends = expiresAt === null ? "never" : timeText(expiresAt);
      return [
        name,
        role,
        ends,
        timeText(createdAt),
        createdBy,
        workflows?.join(", ") ?? "everything",
      ];
    });
    return `${through}\n${table(["name", "role", "expires", "made", "by", "reaches"], rows)}`;
  });
}

async function revoke(name: string, options: Options): Promise<void> {
  const { answer, through } = await either<TokenAnswer>(options, {
    host: (client) => client.delete(`/tokens/${encodeURIComponent(name)}`),
    file: (book) => {
      const entry = revokeToken(book, { name, now: Date.now() });
      forgetOwnToken(dirname(book.path), entry);
      return entry;
    },
  });
  print(options.json, told(answer, through), () => `${through}\n${answer.name} is revoked`);
}

type Ways<T> = {
  readonly host: (client: HostClient) => Promise<T>;
  readonly file: (book: FileBook) => T;
};

/** Through a host if one answers. If none does, in its file, which it would read again anyway. */
async function either<T>(
  options: Options,
  { host, file }: Ways<T>,
): Promise<{ readonly answer: T; readonly through: string }> {
  try {
    const client = new HostClient(options);
    return { answer: await host(client), through: `Through the host at ${client.url}:` };
  } catch (error) {
    const path = fileOf(options);
    if (!isUnreachable(error) || path === null) throw error;
    // A typing error must not make a folder that nobody looks into.
    if (!existsSync(dirname(path))) throw new UsageError(`there is no folder ${dirname(path)}.`);
    return { answer: file(new FileBook(path)), through: `Without a host, in ${path}:` };
  }
}

/** Null = the host is named by its address: only itself knows where its file is. */
function fileOf({ data }: Options): string | null {
  if (data === undefined && process.env["HOLDFAST_URL"]) return null;
  const named = process.env["HOLDFAST_TOKENS"];
  if (named) return resolve(named);
  const place = findPlace(data);
  if (place.kind === "folder") return resolve(join(place.folder, "tokens.json"));
  throw new UsageError("HOLDFAST_TOKENS is not set: no file holds who has a token.");
}

/** Without what only the file needs. */
function shown(entry: TokenAnswer): TokenAnswer {
  const { name, role, createdAt, createdBy, expiresAt, workflows } = entry;
  return { name, role, createdAt, createdBy, expiresAt, workflows };
}

function told(answer: TokenAnswer & { readonly token?: string }, through: string): object {
  const { token } = answer;
  return { ...shown(answer), ...(token === undefined ? {} : { token }), through };
}
