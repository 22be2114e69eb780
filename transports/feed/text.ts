/** Text in feeds. */

/**
 * Removes the control characters that neither XML nor calendars can hold. What some programs take for the end of a line becomes a line
 * break, which is written as one.
 */
export function removeControls(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replaceAll(/(?![\n\t])[\p{Cc}\uFFFE\uFFFF]/gu, '')
}
