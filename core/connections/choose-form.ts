/** Chooses whether received data becomes events or data points. (docs/decisions/0019-imports.md) */
import type { LaneForm } from '../../imports/protocol.js'
import { isNumericContent, minDensePerDay, secondsPerDay } from '../../imports/pipeline/lane-key.js'
import type { ImportMemory } from '../imports/memory.js'
import type { IntakeContext, ReceivedLane, ReceivedRecord } from './intake-context.js'

/** Minimum number of records from which a rate is computed. */
const minRecords = 10
/** Shortest time over which a rate is computed, in seconds. */
const minSeconds = 3600

/**
 * Returns the form of a lane. A lane that is known, also from imports, keeps its form. The form of a new lane is added to
 * `newForms`.
 */
export function chooseForm(
  { key, records }: ReceivedLane,
  { call, format, ids }: Pick<IntakeContext, 'call' | 'format' | 'ids'>,
  memory: ImportMemory,
  newForms: { readonly key: string; readonly form: LaneForm }[]
): LaneForm {
  const { isEvent, track } = records[0]!
  if (track !== undefined) return 'series'
  if (isEvent || !records.some(({ content }) => isNumericContent(content))) return 'events'
  const known = memory.getForm(key)
  if (known) return known
  const form = hasSeries() || isFrequent(records) ? 'series' : 'events'
  newForms.push({ key, form })
  return form

  /** Forms are remembered up to a limit. */
  function hasSeries(): boolean {
    const year = new Date(records[0]!.time * 1000).getUTCFullYear()
    return call.store.series.findHolder(ids.getSeriesId(format.id, key, year)) !== undefined
  }
}

/** Returns true if so many records arrive that they are better stored as data points. */
function isFrequent(records: readonly ReceivedRecord[]): boolean {
  if (records.some(record => record.isFrequent)) return true
  if (records.length < minRecords) return false
  let [from, to] = [Infinity, -Infinity]
  for (const { time } of records) {
    from = Math.min(from, time)
    to = Math.max(to, time)
  }
  return (records.length * secondsPerDay) / Math.max(minSeconds, to - from) > minDensePerDay
}
