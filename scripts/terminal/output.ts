/** Prints the results of commands, as text or as JSON. */
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
