/** Formats and prints the results of commands, as text or as JSON. */
export interface JsonOption {
  readonly json?: true
}

/** Formats a problem as a line with its known parts, separated by tabs. */
export function formatProblem({
  detail,
  id,
  kind,
  user
}: {
  readonly kind?: string
  readonly user?: string
  readonly id?: string
  readonly detail: string
}): string {
  return [kind, user, id, detail].filter(part => part !== undefined).join('\t')
}

/** Prints a result as JSON, or as lines of text. */
export function printResult(json: true | undefined, answer: object, ...lines: readonly string[]): void {
  if (json) console.log(JSON.stringify(answer, null, 2))
  else for (const line of lines) console.log(line)
}

const rules = new Intl.PluralRules('en')

/** Formats a number with its noun: `1 account`, `2 accounts`. */
export function formatCount(count: number, what: string, several = `${what}s`): string {
  return `${count} ${rules.select(count) === 'one' ? what : several}`
}

// oxlint-disable-next-line no-control-regex -- these are the characters to escape
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Escapes control and bidirectional characters, except line feeds and tabs. */
export function escapeControls(text: string): string {
  return text.replaceAll(controls, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
