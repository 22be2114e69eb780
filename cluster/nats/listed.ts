/** Names in a sentence, however many there are. */

/** Some names, and how many more there are. */
export function listed(names: readonly string[]): string {
  const most = 3
  const shown = names.slice(0, most).join(', ')
  return names.length > most ? `${shown} and ${names.length - most} more` : shown
}
