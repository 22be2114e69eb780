/** Counts nights rather than periods of sleep, of which a night has dozens. */
import { formatDate, getLocalDay } from '../../../schemas/zones.js'
import type { Client } from './client.js'
import type { MeasureDay, MeasureFact } from './measures.js'
import type { Fact } from './model.js'

/** Maximum number of days that can be read. */
const maxDays = 10_958
/** Milliseconds until nights are counted again if data keep arriving. */
const recountMs = 10_000

/**
 * Returns on how many days nights end from the first to the last period of a fact; of the latest thirty years, and of one source
 * if it is given. Undefined without a fact, or if it cannot be read.
 */
export async function countNights(
  client: Client,
  fact: Pick<MeasureFact, 'first' | 'last'> | undefined,
  zone: string,
  streamId?: string
): Promise<number | undefined> {
  if (!fact) return undefined
  // A period that begins on the last day ends on the next one.
  const to = getLocalDay(zone, fact.last).number + 1
  const from = Math.max(getLocalDay(zone, fact.first).number, to - maxDays + 1)
  const params = { measure: 'sleep', from: formatDate(from), to: formatDate(to), zone }
  try {
    const { days } = await client.call<{ days: readonly MeasureDay[] }>('measures.days', {
      ...params,
      ...(streamId === undefined ? {} : { streams: [streamId] })
    })
    return days.length
  } catch {
    return undefined
  }
}

/** The number of nights of each stream with periods of sleep. */
export class NightCounts {
  /** The fact of which they were counted, and their number, by id of the stream. */
  readonly #counted = new Map<string, { readonly of: string; readonly nights: number | undefined }>()
  #facts: readonly MeasureFact[] = []
  #isCounting = false
  #isClosed = false

  constructor(
    private readonly client: Client,
    private readonly onCounted: () => void
  ) {}

  /**
   * Counts the nights of streams whose periods have changed. Resolves once all are counted, calling the
   * listener after each round; while one call counts, others only leave their facts to it.
   */
  async update(facts: readonly MeasureFact[]): Promise<void> {
    this.#facts = facts
    if (this.#isCounting) return
    this.#isCounting = true
    while (!this.#isClosed && (await this.#count())) {
      this.onCounted()
      await new Promise(resolve => setTimeout(resolve, recountMs))
    }
    this.#isCounting = false
  }

  /** Returns facts that count nights instead of periods. */
  replaceCounts(facts: readonly Fact[]): Fact[] {
    return facts.map(fact => {
      const nights = isOfPeriods(fact) ? this.#counted.get(fact.streamId)?.nights : undefined
      return nights === undefined ? fact : { ...fact, shownCount: nights }
    })
  }

  /** Stops counting: results that are still pending are ignored. */
  close(): void {
    this.#isClosed = true
  }

  /** Returns whether anything had to be counted. */
  async #count(): Promise<boolean> {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
    const sources = this.#facts.find(({ measure }) => measure === 'sleep')?.sources.filter(isOfPeriods) ?? []
    const changed = sources.filter(
      source => this.#counted.get(source.streamId)?.of !== JSON.stringify(source)
    )
    await Promise.all(
      changed.map(async source => {
        const nights = await countNights(this.client, source, zone, source.streamId)
        this.#counted.set(source.streamId, { of: JSON.stringify(source), nights })
      })
    )
    return changed.length > 0
  }
}

function isOfPeriods({ type }: { readonly type: string }): boolean {
  return type.startsWith('sleep/')
}
