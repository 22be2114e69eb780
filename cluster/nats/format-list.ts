/** Formats lists of names for messages. */

/** Formats the first names, and the number of others. */
export function formatList(names: readonly string[]): string {
  const max = 3
  const shown = names.slice(0, max).join(', ')
  return names.length > max ? `${shown} and ${names.length - max} more` : shown
}
