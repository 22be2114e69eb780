/** Ids that clients give to what they create. */

const letters = '0123456789abcdefghijklmnopqrstuvwxyz'

/** Returns a new id of an event: `c` and 24 random letters and digits. */
export function newId(): string {
  let id = 'c'
  // What lies beyond the greatest multiple of 36 would make some letters more likely than others.
  while (id.length < 25)
    for (const byte of crypto.getRandomValues(new Uint8Array(32)))
      if (byte < 252 && id.length < 25) id += letters[byte % 36]
  return id
}
