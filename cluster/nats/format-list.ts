/** Names in a sentence, however many there are. */

/** Some names, and how many more there are. */
export function formatList(names: readonly string[]): string {
  const max = 3
  const shown = names.slice(0, max).join(', ')
  return names.length > max ? `${shown} and ${names.length - max} more` : shown
}
