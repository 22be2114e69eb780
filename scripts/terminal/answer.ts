/** Prints the results of commands, for people and for scripts. */
export interface JsonOption {
  readonly json?: true
}

/** Prints a result as JSON, or as lines of text. */
export function print(json: true | undefined, answer: object, ...lines: readonly string[]): void {
  if (json) console.log(JSON.stringify(answer, null, 2))
  else for (const line of lines) console.log(line)
}
