/** Distinguishes the records of a table that have the same time. */

/** Maximum number of remembered records of days. */
const maxRememberedDays = 200_000

export class RecordIdentities {
  /** Number of equal records, by their day and content. */
  readonly #dayCounts = new Map<string, number>()

  /**
   * Returns the identity of a record: its content and text distinguish it from others of its time; equal
   * records of one day are numbered. `day` identifies the day and the stream, if the record has no time of
   * day. Empty if its content alone identifies it. Must be called once for each record, as it counts them.
   */
  assign(content: unknown, text: string | undefined, day: string | undefined): { identity?: string } {
    const base = text === undefined ? JSON.stringify(content) : `${JSON.stringify(content)} ${text}`
    if (this.#dayCounts.size > maxRememberedDays) this.#dayCounts.clear()
    const count = day === undefined ? 1 : (this.#dayCounts.get(`${day} ${base}`) ?? 0) + 1
    if (day !== undefined) this.#dayCounts.set(`${day} ${base}`, count)
    if (count > 1) return { identity: `${base} ${count}` }
    return text === undefined ? {} : { identity: base }
  }
}
