/** `coffer settings`: lists settings with their meaning. */
import { formatSettingsHelp } from '../../core/settings/list.js'
import { splitOptionalArgument, UsageError } from '../terminal/operands.js'

/**
 * Prints all settings, or those whose name or description contains a word. Throws {@link UsageError} if none
 * match.
 */
export function settings(args: readonly string[]): void {
  const [word = ''] = splitOptionalArgument(args, 'word').operands
  const found = formatSettingsHelp(word)
  if (found === '') throw new UsageError(`No settings match "${word}"`)
  console.log(found)
}
