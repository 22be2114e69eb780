/** Limits combining marks in untrusted texts. Has no imports: every module may use it. */

/** Characters after a letter: marks, and two characters that normalization turns into marks. */
const excessMarks = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu

/**
 * Limits a text to 30 marks per letter, as stream-safe text has (Unicode Standard Annex #15), before it is normalized:
 * that takes quadratic time in the number of consecutive marks.
 */
export function limitMarks(text: string): string {
  return text.replace(excessMarks, '$1')
}
