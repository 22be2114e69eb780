/** Measures: their names, colours and units, and what the account has of each. (docs/api/measure-methods.md) */
import type { Choice, Measure, Names } from '../../../schemas/measures/measure.js'
import { getLanguage, getLocale } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import type { Client } from './client.js'
import { getDecimals, getUnitSymbol } from './format-values.js'
import { formatQuantityIn, formatRating, getDisplayType, toPointType, type Quantity } from './units.js'

/** A measure of the user's own, which has one name and no category. */
export interface OwnMeasure extends Omit<Measure, 'category' | 'names' | 'choices'> {
  readonly name: string
  readonly choices?: readonly { readonly value: string | number; readonly name?: string }[]
  readonly quickValues?: readonly (string | number | boolean)[]
}

/** A measure as `measures.get` returns it. */
export type AnyMeasure = Measure | OwnMeasure

/** The latest event or point of a measure. */
export interface LatestValue {
  readonly time: number
  readonly streamId: string
  readonly type: string
  /** In seconds; `null` for an event that has not ended. */
  readonly duration?: number | null
  /** As stored; missing if it is long. */
  readonly content?: unknown
  /** In the first type of the measure, or in `unit`; two numbers of a pair. */
  readonly value?: number | readonly (number | null)[]
  readonly unit?: string
}

/** What the account has of a measure, as `measures.facts` returns it. Times are in seconds. */
export interface MeasureFact {
  readonly measure: string
  readonly count: number
  readonly first: number
  readonly last: number
  readonly latest: LatestValue
  /** In order of preference. */
  readonly sources: readonly {
    readonly streamId: string
    readonly type: string
    readonly count: number
    readonly first: number
    readonly last: number
  }[]
}

/** A day of a measure, as `measures.days` returns it. */
export interface MeasureDay {
  /** `2026-11-14`. */
  readonly day: string
  /** By the kind of the measure; seconds for periods, two numbers for pairs, a word for categories. Missing if it is too large. */
  readonly value?: number | string | boolean | readonly (number | null)[]
  readonly min?: number | readonly (number | null)[]
  readonly max?: number | readonly (number | null)[]
  readonly count: number
  /** Id of a stream. */
  readonly source: string
}

/** The measures of an account, each read once. */
export class MeasureDirectory {
  readonly #byId = new Map<string, AnyMeasure>()
  #whole: Promise<readonly AnyMeasure[]> | undefined

  constructor(readonly client: Client) {}

  /** Returns a measure that has been read; undefined if it has not. */
  find(id: string): AnyMeasure | undefined {
    return this.#byId.get(id)
  }

  /**
   * Returns the measures with these ids, and requests those that have not been read. Rejects with a
   * `Refusal`, also if one of them does not exist.
   */
  async read(ids: readonly string[]): Promise<readonly AnyMeasure[]> {
    const missing = ids.filter(id => !this.#byId.has(id))
    if (missing.length > 0) this.#add(await this.#request({ ids: missing }))
    return ids.flatMap(id => this.#byId.get(id) ?? [])
  }

  /** Returns the whole catalogue and the user's own measures, read once. Rejects with a `Refusal`. */
  async readAll(): Promise<readonly AnyMeasure[]> {
    this.#whole ??= this.#request({}).then(all => this.#add(all))
    // A failure is not kept: the next call tries again.
    return await this.#whole.catch((error: unknown) => {
      this.#whole = undefined
      throw error
    })
  }

  /**
   * Forgets what has been read, after the user's own measures have changed. The next reads request everything
   * again.
   */
  forget(): void {
    this.#byId.clear()
    this.#whole = undefined
  }

  async #request(params: { readonly ids?: readonly string[] }): Promise<readonly AnyMeasure[]> {
    return (await this.client.call<{ measures: readonly AnyMeasure[] }>('measures.get', params)).measures
  }

  #add(measures: readonly AnyMeasure[]): readonly AnyMeasure[] {
    for (const measure of measures) this.#byId.set(measure.id, measure)
    return measures
  }
}

/** Returns the name of a measure in the language of the page. */
export function getMeasureName(measure: AnyMeasure): string {
  return 'name' in measure ? toPlainText(measure.name) : getLocalName(measure.names)
}

/** Returns the name of a value of a measure with choices; undefined if it is none of them. */
export function getChoiceLabel({ choices = [] }: AnyMeasure, value: unknown): string | undefined {
  const found = (choices as readonly (Partial<Choice> & { readonly name?: string })[]).find(
    choice => choice.value === value
  )
  if (!found) return undefined
  return found.names ? getLocalName(found.names) : toPlainText(found.name ?? String(found.value))
}

/** Returns the CSS value of a measure's colour: of its hue, light or dark enough for text in both colour schemes. */
export function getMeasureColour({ hue }: Pick<Measure, 'hue'>): string {
  // Hues of OKLCH are about 25 degrees ahead of those of HSL, in which the catalogue gives them.
  return `oklch(var(--measure-light) var(--measure-chroma) ${(hue + 25) % 360})`
}

/**
 * Returns the type in which numbers of a measure are shown: by the user's units, else by region. Types
 * without a unit are shown by {@link getDisplayType}.
 */
export function getShownType({ types, unit, molarMass }: AnyMeasure): string {
  const stored = types[0]!
  if (!unit) return getDisplayType(stored)
  const region = new Intl.Locale(getLocale()).maximize().region ?? ''
  const regional = unit.byRegion?.[region] ?? unit.shown
  const preferred = getDisplayType(regional, { isGlucose: isGlucose(molarMass) })
  return unit.offered.includes(preferred) ? preferred : regional
}

/**
 * Formats a number of a measure in the unit shown: `{value: '62.4', unit: 'kg'}`. It is given in `type`, by
 * default the first type of the measure. With `isRounded`, it has decimals that suit its size, as means do. A
 * number that cannot be converted keeps its unit.
 */
export function formatMeasureNumber(
  measure: AnyMeasure,
  value: number,
  {
    type = measure.types[0]!,
    isRounded = false
  }: { readonly type?: string; readonly isRounded?: boolean } = {}
): Quantity {
  if (type === 'mood/rating') return { value: formatRating(value), unit: '' }
  const shown = type.startsWith('money/') ? type : getShownType(measure)
  const { molarMass = false } = measure
  return formatQuantityIn(shown, toPointType(type), value, {
    molarMass,
    decimals: isRounded ? getDecimals(value) : undefined
  })
}

/** Formats the two numbers of a pair: `{value: '126/80', unit: 'mmHg'}`. */
export function formatMeasurePair(measure: AnyMeasure, pair: readonly (number | null)[]): Quantity {
  const format = new Intl.NumberFormat(getLocale(), { maximumFractionDigits: 0 })
  return {
    value: pair.map(each => (each === null ? '–' : format.format(each))).join('/'),
    unit: getUnitSymbol(measure.types[0]!)
  }
}

/**
 * Returns the currency of a measure of money, as a type: that of its latest amount. Others are neither
 * converted nor added. Undefined for other measures.
 */
export function getCurrency(fact: Pick<MeasureFact, 'latest'> | undefined): string | undefined {
  const unit = fact?.latest.unit
  return unit?.startsWith('money/') === true ? unit : undefined
}

/** Returns a measure whose numbers are in the currency of its latest amount. Measures without a currency remain the same. */
export function toCurrency(measure: AnyMeasure, fact: Pick<MeasureFact, 'latest'> | undefined): AnyMeasure {
  const currency = getCurrency(fact)
  if (currency === undefined || currency === measure.types[0]) return measure
  const { unit: _unit, ...others } = measure
  return { ...others, types: [currency, ...measure.types.filter(each => each !== currency)] }
}

function isGlucose(molarMass: number | undefined): boolean {
  return molarMass !== undefined && Math.round(molarMass) === 180
}

function getLocalName(names: Names): string {
  const language = getLanguage()
  return Object.hasOwn(names, language) ? names[language as keyof Names] : names.en
}
