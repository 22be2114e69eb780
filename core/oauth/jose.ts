/** The library for JSON Web Tokens, loaded when a client first sends one. */
import type * as Jose from 'jose'

/** The only algorithm of proofs and assertions. */
export const proofAlgorithm = 'ES256'

/** Loads the library. */
export async function loadJose(): Promise<typeof Jose> {
  return await import('jose')
}

/** Maximum length of the id of a proof or an assertion, in characters. */
const maxIdLength = 256

/** Returns the `jti` of a token, which makes it usable once; `undefined` if it is missing or too long. */
export function getTokenId({ jti }: { readonly jti?: unknown }): string | undefined {
  return typeof jti === 'string' && jti !== '' && jti.length <= maxIdLength ? jti : undefined
}
