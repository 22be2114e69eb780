/** Makes texts of unknown origin fit for a terminal, which obeys some characters instead of showing them. */

// oxlint-disable-next-line no-control-regex -- the ones that terminals obey
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** A text without characters that a terminal obeys; lines and tabs stay. */
export function printable(text: string): string {
  return text.replaceAll(obeyed, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
