/** An in-memory log in place of an engine: it keeps appended records, and fails as an engine may. */
import { Conflict, EngineUnavailable, type Entry, type Log } from '../../cluster/engine.js'

/** Outcome of an append: acknowledged; lost; stored without acknowledgement; stored when it is asked about. */
export type Fate = 'well' | 'lost' | 'unanswered' | 'late'

export class MemoryLog implements Log {
  readonly #entries = new Map<string, Entry[]>()
  readonly #late = new Map<string, Entry>()
  #last = 0
  /** Whether nothing responds at all. */
  isGone = false

  constructor(
    readonly maxBytes = 8 * 1024 * 1024,
    private readonly fateOf: (subject: string) => Fate = () => 'well'
  ) {}

  async append(subject: string, expected: number, bytes: Uint8Array): Promise<number> {
    await Promise.resolve()
    if (this.isGone) throw new EngineUnavailable()
    if (bytes.length > this.maxBytes) throw new RangeError('A record that is too long')
    const fate = this.fateOf(subject)
    if (fate === 'lost') throw new EngineUnavailable()
    const entry = { subject, sequence: ++this.#last, bytes: Buffer.from(bytes) }
    if (fate === 'late') {
      this.#late.set(subject, { ...entry, sequence: expected })
      throw new EngineUnavailable()
    }
    this.#add(entry, expected)
    if (fate === 'unanswered') throw new EngineUnavailable()
    return entry.sequence
  }

  async last(subject: string): Promise<Entry | undefined> {
    await Promise.resolve()
    if (this.isGone) throw new EngineUnavailable()
    const last = this.entries(subject).at(-1)
    const late = this.#late.get(subject)
    this.#late.delete(subject)
    // It arrives just after the response.
    if (late && (last?.sequence ?? 0) === late.sequence)
      this.#add({ ...late, sequence: ++this.#last }, late.sequence)
    return last
  }

  async read(subject: string, from: number, limit: number): Promise<Entry[]> {
    await Promise.resolve()
    if (this.isGone) throw new EngineUnavailable()
    return this.entries(subject)
      .filter(({ sequence }) => sequence >= from)
      .slice(0, limit)
  }

  async trim(subject: string, before: number): Promise<void> {
    await Promise.resolve()
    if (this.isGone || this.fateOf(subject) === 'lost') throw new EngineUnavailable()
    const entries = this.entries(subject)
    const kept = entries.filter(({ sequence }) => sequence >= before)
    if (entries.length > 0) this.#entries.set(subject, kept.length > 0 ? kept : entries.slice(-1))
  }

  /** Returns all records of a subject that have not been trimmed, first to last. */
  entries(subject: string): Entry[] {
    return this.#entries.get(subject) ?? []
  }

  #add(entry: Entry, expected: number): void {
    const entries = this.entries(entry.subject)
    if ((entries.at(-1)?.sequence ?? 0) !== expected) throw new Conflict(entry.subject)
    this.#entries.set(entry.subject, [...entries, entry])
  }
}
