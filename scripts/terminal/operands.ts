/** Tells what a command is given from the settings beside it, in whatever order they come. */
import { parseArgs } from 'node:util'
import { settingsList } from '../../core/settings/list.js'

export interface Given {
  readonly operands: readonly string[]
  /** The settings, as `loadSettings` takes them. */
  readonly flags: readonly string[]
}

/** What is wrong with how a command was called. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

/** Splits arguments; raises {@link UsageError} unless there are as many operands as names. */
export function split(args: readonly string[], ...names: string[]): Given {
  const options = Object.fromEntries(
    [...settingsList.map(({ key }) => key), 'config'].map(name => [name, { type: 'string' as const }])
  )
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options
  })
  const operands: string[] = []
  const flags: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(token.value)
    else if (token.kind === 'option')
      flags.push(token.value === undefined ? token.rawName : `${token.rawName}=${token.value}`)
  }
  if (operands.length !== names.length)
    throw new UsageError(`Wanted: ${names.map(name => `<${name}>`).join(' ')}; see --help.`)
  return { operands, flags }
}
