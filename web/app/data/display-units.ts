/** The units in which a user wants to see numbers, independent of the stored units. */
import { getLocale } from '../../language.js'
import { createStore, type Store } from './store.js'

/** Display units by quantity. */
export interface DisplayUnits {
  readonly mass: 'kg' | 'lb' | 'st'
  readonly temperature: 'c' | 'f'
  readonly distance: 'km' | 'mi'
  readonly height: 'cm' | 'ft'
  readonly glucose: 'mmol-l' | 'mg-dl'
}

/** Key in the private profile set. */
export const unitsKey = 'coffer:units'

/** Available units, the most common first. */
export const unitChoices: { readonly [K in keyof DisplayUnits]: readonly DisplayUnits[K][] } = {
  mass: ['kg', 'lb', 'st'],
  temperature: ['c', 'f'],
  distance: ['km', 'mi'],
  height: ['cm', 'ft'],
  glucose: ['mmol-l', 'mg-dl']
}

/** The current user's units; those of the browser's region until they have been read. */
export const displayUnits: Store<DisplayUnits> = createStore<DisplayUnits>(
  getDefaultUnits(navigator.languages[0] ?? 'en')
)

/** Sets the units from a profile; missing or unknown ones get the region's default. */
export function loadDisplayUnits(stored: unknown): void {
  const defaults = getDefaultUnits(getLocale())
  const input = typeof stored === 'object' && stored !== null ? (stored as Record<string, unknown>) : {}
  const units = Object.entries(unitChoices).map(([kind, choices]) => [
    kind,
    (choices as readonly string[]).find(each => each === input[kind]) ?? defaults[kind as keyof DisplayUnits]
  ])
  displayUnits.set(Object.fromEntries(units) as DisplayUnits)
}

/** Returns the usual units in the region of a language tag. */
function getDefaultUnits(tag: string): DisplayUnits {
  const region = new Intl.Locale(tag).maximize().region ?? ''
  const isAmerican = ['US', 'LR', 'PR'].includes(region)
  const isBritish = region === 'GB'
  return {
    mass: isAmerican ? 'lb' : 'kg',
    temperature: isAmerican || ['BS', 'BZ', 'KY', 'PW'].includes(region) ? 'f' : 'c',
    distance: isAmerican || isBritish ? 'mi' : 'km',
    height: isAmerican ? 'ft' : 'cm',
    glucose:
      isAmerican || ['DE', 'FR', 'IT', 'ES', 'AT', 'PL', 'JP', 'BE'].includes(region) ? 'mg-dl' : 'mmol-l'
  }
}
