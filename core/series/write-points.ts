/** Writes the points that a client has sent. */
import type { Holder, Points } from '../../storage/repositories/series.js'
import type { Row } from '../../storage/series/rows.js'
import type { Steps } from '../../storage/steps.js'
import type { Call } from '../call/method.js'
import { fail } from '../errors.js'
import { maxRowText, measureTexts } from './flat-json.js'
import { noteWrittenPoints } from './touched-points.js'

/**
 * Writes points below a holder. Throws `invalid-request-structure` if the texts of a point become too long together with those that
 * it has already; `context` is added to its data.
 */
export function* writePoints(
  { caller, now, store }: Call,
  holder: Holder,
  points: Points,
  context: object = {}
): Steps<void> {
  noteWrittenPoints(store, holder, points)
  const check = (merged: Row, stored: Row): void => {
    const length = measureTexts(merged)
    // Texts that were stored before there was a limit may stay.
    if (length <= maxRowText || length <= measureTexts(stored)) return
    const message = `The point at ${merged[0]} would have more than ${maxRowText} characters of text`
    fail('invalid-request-structure', message, { ...context, rule: 'length' })
  }
  yield* store.series.add(holder.number, points, { writer: caller.signature, written: now, check })
}
