/** Combining marks in texts of callers. Without any import: every room may use it. */

/** What follows a letter: marks, and two characters that normalization makes marks of. */
const excessMarks = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu

/**
 * A text with 30 marks on a letter at most, as stream-safe text has them (Unicode Standard Annex #15), to be normalized:
 * that takes time by the square of the marks in a row.
 */
export function limitMarks(text: string): string {
  return text.replace(excessMarks, '$1')
}
