/** Which measures the page Today shows: the user's choice in the private profile set, and what is shown by default. */
import type { Profile } from './account.js'
import type { MeasureFact } from './measures.js'

/** Key in the private profile set. */
export const todayKey = 'coffer:today'

/** What the user has arranged. Measures that are in neither list are shown by default. */
interface TodaySettings {
  /** Ids of the measures shown, in order. */
  readonly cards: readonly string[]
  /** Ids of measures that are not shown. */
  readonly hidden: readonly string[]
}

/** Number of cards up to which measures are shown by default. */
const maxDefault = 12
/** Maximum number of cards. */
export const maxCards = 40
/** Seconds after which the weight of what is used falls to a tenth. */
const fadeSeconds = 30 * 86_400
/** Kinds that have no card: the notes, photos and places of the day have sections of their own. */
const uncarded = new Set(['note', 'photo', 'document', 'position'])
/** Measures of rooms rather than of persons come last. */
const ofRooms = /^room-/

/** Reads the settings from the profile; malformed parts, and cards beyond {@link maxCards}, are ignored. */
export function parseSettings(profile: Profile): TodaySettings {
  const stored = profile[todayKey]
  const read = (key: keyof TodaySettings): readonly string[] => {
    const list: unknown =
      typeof stored === 'object' && stored !== null && Object.hasOwn(stored, key)
        ? (stored as Readonly<Record<string, unknown>>)[key]
        : []
    return Array.isArray(list) ? [...new Set(list.filter(each => typeof each === 'string'))] : []
  }
  return { cards: read('cards').slice(0, maxCards), hidden: read('hidden') }
}

/**
 * Returns the ids of the measures to show: those that the user has arranged, then, up to a number of cards in
 * all, others with data that are not hidden, most recent and most used, in the order of the catalogue.
 */
export function listCards(
  { cards, hidden }: TodaySettings,
  facts: readonly MeasureFact[],
  now: number
): readonly string[] {
  const known = new Set([...cards, ...hidden, ...uncarded])
  const ranked = facts
    .filter(({ measure }) => !known.has(measure))
    .toSorted((a, b) => getWeight(b, now) - getWeight(a, now))
    .slice(0, Math.max(0, maxDefault - cards.length))
  const added = new Set(ranked.map(({ measure }) => measure))
  return [...cards, ...facts.filter(({ measure }) => added.has(measure)).map(({ measure }) => measure)]
}

/** Returns how much a measure matters: recent data counts for more than much data. */
function getWeight({ count, last, measure }: MeasureFact, now: number): number {
  const age = Math.max(0, now - last)
  return Math.log10(1 + count) / 4 - age / fadeSeconds - (ofRooms.test(measure) ? 1 : 0)
}
