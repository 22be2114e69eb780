/** Text in feeds. */

/** Removes the control characters that neither XML nor calendars can hold. */
export function removeControls(text: string): string {
  return text.toWellFormed().replaceAll(/(?![\n\t])[\p{Cc}\uFFFE\uFFFF]/gu, '')
}
