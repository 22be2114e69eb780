/** Shortens texts of callers that are stored. */

/**
 * Returns the beginning of a text as a copy: a slice would keep the whole text in memory. Lone surrogates are replaced.
 */
export function truncateText(text: string, maxCharacters: number): string {
  return Buffer.from(text.slice(0, maxCharacters)).toString()
}
