/** Counts the results for records. */
import type { Counts } from '../../imports/protocol.js'
import type { SkipReason } from '../../imports/skip-reasons.js'
import type { Tally } from './job.js'

/** Why a record is skipped, in words that complete "left out because it is …". */
export const skipReasons = {
  twice: 'in the file more than once',
  otherVersion: 'another version of a record that was brought in before',
  deleted: 'of the kind that was deleted here before',
  leftOut: 'of a kind that the user has excluded',
  trashed: 'in a stream or series that is in the trash',
  hidden: 'in a series that has been moved out of sight',
  unfit: 'not as its type demands',
  away: 'a file of an event that is not here, or not to be changed',
  large: 'a file that is larger than files may be here',
  many: 'a file of an event that has as many as it may',
  early: 'before the beginning of its series'
} as const satisfies Readonly<Record<string, SkipReason>>

/** The result for a record. */
export type RecordResult = 'broughtIn' | 'known' | keyof typeof skipReasons

/** Counts results, by type or reason. */
export class TallyCounter implements Tally {
  readonly broughtIn: Counts = Object.create(null) as Counts
  readonly known: Counts = Object.create(null) as Counts
  readonly leftOut: Counts = Object.create(null) as Counts

  /** Adds to one count; ignores numbers that are not positive. */
  add(of: keyof Tally, name: string, by = 1): void {
    if (by > 0) this[of][name] = (this[of][name] ?? 0) + by
  }

  /** Counts records of a type, those that are skipped by their reason. */
  count(type: string, result: RecordResult, by: number): void {
    if (result === 'broughtIn' || result === 'known') this.add(result, type, by)
    else this.add('leftOut', skipReasons[result], by)
  }

  /** Adds counts. */
  addAll(of: keyof Tally, counts: Counts): void {
    for (const [name, by] of Object.entries(counts)) this.add(of, name, by)
  }
}
