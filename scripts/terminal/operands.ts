/** Separates the operands of a command from settings given as flags, in any order, and parses times given as options. */
import { parseArgs } from 'node:util'
import { settingsList } from '../../core/settings/list.js'
import { getDayStart } from '../../schemas/zones.js'

interface SplitArguments {
  readonly operands: readonly string[]
  /** Settings as flags, for `loadSettings`. */
  readonly flags: readonly string[]
}

/** A command was called the wrong way. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

/**
 * Splits arguments into operands and flags. Throws {@link UsageError} unless the number of operands equals
 * the number of names.
 */
export function splitArguments(args: readonly string[], ...names: string[]): SplitArguments {
  const given = parse(args)
  if (given.operands.length === names.length) return given
  throw new UsageError(
    `Expected arguments: ${names.map(name => `<${name}>`).join(' ') || 'none'} (see --help)`
  )
}

/**
 * Like {@link splitArguments}, for a command with one optional operand. Throws {@link UsageError} if there
 * are more.
 */
export function splitOptionalArgument(args: readonly string[], name: string): SplitArguments {
  const given = parse(args)
  if (given.operands.length <= 1) return given
  throw new UsageError(`Expected at most one argument: [${name}] (see --help)`)
}

/** Splits arguments into operands and the flags of settings. */
function parse(args: readonly string[]): SplitArguments {
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
  return { operands, flags }
}

const daySeconds = 86_400

/** Parses a time, or a date, of which the start or the end is returned, in seconds. Throws {@link UsageError}. */
export function parseTime(text: string, zone: string, isEnd: boolean): number {
  const ms = Date.parse(text)
  if (Number.isNaN(ms))
    throw new UsageError(`"${text}" is not a valid date or time. Use a date such as 2026-03-29`)
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return ms / 1000
  const day = ms / 1000 / daySeconds
  return isEnd ? getDayStart(zone, day + 1) - 0.001 : getDayStart(zone, day)
}
