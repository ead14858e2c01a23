/** As much of PostgreSQL's wire protocol (version 3) as it takes to stand in its midst. */

/** Whole, as it came. The type is one letter; "" = the untyped first message of a client. */
export type WireMessage = { readonly type: string; readonly bytes: Buffer };

/** The second word of an untyped message, where it is not the version of the protocol. */
const tlsRequest = 80_877_103;
const gssRequest = 80_877_104;
const cancelRequest = 80_877_102;

const lengthBytes = 4;

/** Cuts a stream of bytes into messages, however they arrive. */
export class MessageReader {
  #chunks: Buffer[] = [];
  #byteCount = 0;
  #untyped: boolean;

  constructor({ startsUntyped }: { readonly startsUntyped: boolean }) {
    this.#untyped = startsUntyped;
  }

  read(chunk: Buffer): WireMessage[] {
    this.#chunks.push(chunk);
    this.#byteCount += chunk.length;
    const messages: WireMessage[] = [];
    for (let message = this.#next(); message !== null; message = this.#next()) {
      messages.push(message);
    }
    return messages;
  }

  #next(): WireMessage | null {
    const headBytes = lengthBytes + (this.#untyped ? 0 : 1);
    if (this.#byteCount < headBytes) return null;
    // Joined only when a message is whole: long ones come in many pieces.
    const head = this.#peek(headBytes);
    const length = head.readInt32BE(headBytes - lengthBytes) + headBytes - lengthBytes;
    if (this.#byteCount < length) return null;
    const all = this.#peek(length);
    const bytes = all.subarray(0, length);
    this.#chunks = [all.subarray(length)];
    this.#byteCount -= length;
    const type = this.#untyped ? "" : String.fromCharCode(bytes[0] ?? 0);
    // After a refusal of encryption the client starts again.
    if (this.#untyped) this.#untyped = asksForEncryption(bytes);
    return { type, bytes };
  }

  #peek(count: number): Buffer {
    const [first] = this.#chunks;
    if (first !== undefined && first.length >= count) return first;
    const joined = Buffer.concat(this.#chunks);
    this.#chunks = [joined];
    return joined;
  }
}

export function asksForEncryption(untyped: Buffer): boolean {
  return [tlsRequest, gssRequest].includes(untyped.readInt32BE(lengthBytes));
}

export function asksForCancel(untyped: Buffer): boolean {
  return untyped.readInt32BE(lengthBytes) === cancelRequest;
}

/** What a client says about itself at the start: user, database and parameters. */
export function parseStartup(untyped: Buffer): ReadonlyMap<string, string> {
  const words = untyped.toString("utf8", 2 * lengthBytes).split("\0");
  const pairs = new Map<string, string>();
  for (let index = 0; words[index]; index += 2) {
    pairs.set(words[index] ?? "", words[index + 1] ?? "");
  }
  return pairs;
}

/** The texts with which the body of a Query, Parse or Bind message begins. */
export function readTexts({ bytes }: WireMessage): string[] {
  return bytes.toString("utf8", 1 + lengthBytes).split("\0", 2);
}

/** Of ReadyForQuery: "I" = outside a transaction. */
export function readTransactionStatus({ bytes }: WireMessage): string {
  return String.fromCharCode(bytes[1 + lengthBytes] ?? 0);
}

export function encodeMessage(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(lengthBytes);
  length.writeInt32BE(lengthBytes + body.length);
  return Buffer.concat([Buffer.from(type), length, body]);
}

export function encodeTexts(...texts: readonly string[]): Buffer {
  return Buffer.from(texts.map((text) => `${text}\0`).join(""));
}
