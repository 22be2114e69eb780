/** Answers of commands, for people and for scripts. */
export interface JsonOption {
  readonly json?: true
}

/** Prints an answer as JSON, or the lines that people read. */
export function print(json: true | undefined, answer: object, ...lines: readonly string[]): void {
  if (json) console.log(JSON.stringify(answer, null, 2))
  else for (const line of lines) console.log(line)
}
