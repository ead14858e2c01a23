export { createToken, revokeToken } from "./change-tokens.ts";
export { FileBook } from "./file-book.ts";
export { forgetOwnToken } from "./own-token.ts";
export { nameOfUser } from "./token-name.ts";
