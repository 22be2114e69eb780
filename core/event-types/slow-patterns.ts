/** Warns about patterns of the directory with which some texts would block the event loop. */
import type { EventTypeDirectory } from '../../schemas/event-types/directory.js'
import { longestFor } from './content-check.js'
import type { Log } from '../log.js'
import { isObject } from '../validation/is-object.js'

/** Logs a warning about patterns that are very slow on some texts: only short texts are tested against them. */
export function warnOfSlow(extension: Partial<EventTypeDirectory>, log: Log): void {
  for (const [type, schema] of Object.entries(extension.types ?? {}))
    for (const pattern of patternsIn(schema)) {
      const longest = longestFor(pattern)
      if (longest < Infinity)
        log.warn(
          `event type "${type}": the pattern ${pattern} takes very long for some texts, so those of more than ${longest} characters are refused`
        )
    }
}

/** All valid regular expressions in a schema. */
function* patternsIn(schema: unknown): Generator<string> {
  if (typeof schema !== 'object' || schema === null) return
  for (const [key, value] of Object.entries(schema)) {
    const patterns =
      key === 'pattern' ? [value] : key === 'patternProperties' && isObject(value) ? Object.keys(value) : []
    for (const pattern of patterns) if (typeof pattern === 'string' && isPattern(pattern)) yield pattern
    yield* patternsIn(value)
  }
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp
  } catch {
    return false
  }
}
