/** Formats numbers with nouns. */

const rules = new Intl.PluralRules('en')

/** Formats a number with its noun: `1 account`, `2 accounts`. */
export function formatCount(count: number, what: string, several = `${what}s`): string {
  return `${count} ${rules.select(count) === 'one' ? what : several}`
}
