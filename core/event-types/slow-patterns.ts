/** Warns about patterns of the directory with which some texts would block the event loop. */
import type { EventTypeDirectory } from '../../schemas/event-types/directory.js'
import { getMaxTextLength } from './content-check.js'
import type { Log } from '../log.js'
import { isObject } from '../validation/is-object.js'

/** Logs a warning about patterns that are very slow on some texts: only short texts are tested against them. */
export function warnAboutSlowPatterns(extension: Partial<EventTypeDirectory>, log: Log): void {
  for (const [type, schema] of Object.entries(extension.types ?? {}))
    for (const pattern of listPatterns(schema)) {
      const longest = getMaxTextLength(pattern)
      if (longest < Infinity)
        log.warn(
          `event type "${type}": the pattern ${pattern} is slow for certain strings, so strings longer than ${longest} characters are refused`
        )
    }
}

/** Yields all valid regular expressions in a schema. */
function* listPatterns(schema: unknown): Generator<string> {
  if (typeof schema !== 'object' || schema === null) return
  for (const [key, value] of Object.entries(schema)) {
    const patterns =
      key === 'pattern' ? [value] : key === 'patternProperties' && isObject(value) ? Object.keys(value) : []
    for (const pattern of patterns) if (typeof pattern === 'string' && isValidPattern(pattern)) yield pattern
    yield* listPatterns(value)
  }
}

function isValidPattern(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp
  } catch {
    return false
  }
}
