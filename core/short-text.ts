/** Texts of callers that are kept: as much of each as there is room for. */

/**
 * The beginning of a text, as a copy of its own: what is cut out of a text otherwise keeps all of it in memory. Halves of
 * characters are replaced.
 */
export function shortened(text: string, most: number): string {
  return Buffer.from(text.slice(0, most)).toString()
}
