/** In which units a person wants to see numbers, whatever has been stored. */
import { locale } from '../../language.js'
import { storeOf, type Store } from './store.js'

/** What a person wants to see, whatever has been stored. */
export interface UnitWishes {
  readonly mass: 'kg' | 'lb' | 'st'
  readonly temperature: 'c' | 'f'
  readonly distance: 'km' | 'mi'
  readonly height: 'cm' | 'ft'
  readonly glucose: 'mmol-l' | 'mg-dl'
}

/** Key in the private profile set under which the wishes are kept. */
export const unitsKey = 'coffer:units'

/** What can be wished, the usual one first. */
export const unitChoices: { readonly [K in keyof UnitWishes]: readonly UnitWishes[K][] } = {
  mass: ['kg', 'lb', 'st'],
  temperature: ['c', 'f'],
  distance: ['km', 'mi'],
  height: ['cm', 'ft'],
  glucose: ['mmol-l', 'mg-dl']
}

/** What the person in sight wants; as usual where they live until it has been read. */
export const unitWishes: Store<UnitWishes> = storeOf<UnitWishes>(usualUnits(navigator.languages[0] ?? 'en'))

/** Takes the wishes of a profile; what is missing or unknown there is as usual. */
export function takeUnitWishes(stored: unknown): void {
  const usual = usualUnits(locale())
  const given = typeof stored === 'object' && stored !== null ? (stored as Record<string, unknown>) : {}
  const wishes = Object.entries(unitChoices).map(([kind, choices]) => [
    kind,
    (choices as readonly string[]).find(each => each === given[kind]) ?? usual[kind as keyof UnitWishes]
  ])
  unitWishes.set(Object.fromEntries(wishes) as UnitWishes)
}

/** What is usual in the region of a language tag. */
export function usualUnits(tag: string): UnitWishes {
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
