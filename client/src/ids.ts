/** Generates ids on the client. */

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'

/** Returns a new event id: `c` and 24 random letters and digits. */
export function newId(): string {
  let id = 'c'
  // Rejecting bytes from 252, the largest multiple of 36, keeps all letters equally likely.
  while (id.length < 25)
    for (const byte of crypto.getRandomValues(new Uint8Array(32)))
      if (byte < 252 && id.length < 25) id += alphabet[byte % 36]
  return id
}
