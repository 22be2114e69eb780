/** The form of a measure: what people mean by "weight" or "heart rate", whatever event types and streams its data is in. */

/** Key in the `clientData` of streams: the id of the measure to which their events belong. */
export const measureKey = 'coffer:measure'

/** Mark of a stream whose events belong to no measure, whatever their types. */
export const noMeasure = ':none'

/** Maximum length of the id of a measure, in characters. Longer marks are of no measure. */
const maxMarkLength = 64

/** Returns the mark of a stream by its client data; `undefined` if it has none. */
export function readMeasureMark(
  clientData: Readonly<Record<string, unknown>> | undefined
): string | undefined {
  const mark = clientData && Object.hasOwn(clientData, measureKey) ? clientData[measureKey] : undefined
  if (typeof mark !== 'string' || mark === '') return undefined
  // Thousands of streams may inherit it.
  return mark.length > maxMarkLength ? noMeasure : mark
}

export type Category =
  | 'body'
  | 'heart'
  | 'activity'
  | 'sleep'
  | 'mind'
  | 'nutrition'
  | 'cycle'
  | 'medication'
  | 'symptoms'
  | 'lab'
  | 'environment'
  | 'places'
  | 'time-use'
  | 'money'

/**
 * `level`: a reading at a time; `sum`: adds up over time; `span`: a period, such as a night or a workout; `category`: one of a few
 * words; `pair`: two numbers, such as a blood pressure; `place`: a position; `text`: words, photos and files.
 */
export type Kind = 'level' | 'sum' | 'span' | 'category' | 'pair' | 'place' | 'text'

/** A name in each language of the pages. */
export interface Names {
  readonly en: string
  readonly de: string
  readonly fr: string
}

/** Units, as event types. */
export interface UnitChoice {
  /** The default. */
  readonly shown: string
  /** The default by region (ISO 3166), where it differs. */
  readonly byRegion?: Readonly<Record<string, string>>
  /** Each can be converted to the measure's first type; except for amounts of money. */
  readonly offered: readonly string[]
}

type Range = readonly [min: number, max: number]

export interface Choice {
  /** The content of an event; for `sleep/analysis`, its `analysis`. */
  readonly value: string | number
  readonly names: Names
}

/** Codes and identifiers of a measure in other systems. */
interface MeasureCodes {
  readonly loinc?: readonly string[]
  readonly snomed?: readonly string[]
  readonly healthKit?: readonly string[]
  /** Classes of records, with the property where a record has several: `NutritionRecord.protein`. */
  readonly healthConnect?: readonly string[]
  /** Items of the Health Data Safe data model. */
  readonly hds?: readonly string[]
}

export interface Measure {
  /** `heart-rate`: lower-case letters, digits and hyphens. */
  readonly id: string
  readonly category: Category
  readonly names: Names
  /** Name of a Lucide icon. Measures of one category differ in icon or hue. */
  readonly icon: string
  /** Degrees, from 0 to 359. */
  readonly hue: number
  readonly kind: Kind
  /**
   * Event types in which the measure is stored, first the type in which numbers are given. A series of a type counts as that
   * type.
   */
  readonly types: readonly string[]
  /** Paths of the numbers in contents that are objects. */
  readonly fields?: readonly string[]
  /** Types whose events belong to this measure without a marked stream: `true` for all of `types`, otherwise those listed. */
  readonly isDefault?: boolean | readonly string[]
  readonly unit?: UnitChoice
  /** Molar mass (g/mol), by which masses and amounts of a substance are converted. */
  readonly molarMass?: number
  /** Range of values that are no surprise, in the unit of the first type. */
  readonly plausible?: readonly [min: number, max: number]
  /** Range beyond which a value must be a mistake, in the unit of the first type. */
  readonly possible?: readonly [min: number, max: number]
  /** Usual range of healthy adults at rest, in the unit of the first type; of a pair, one of each number. */
  readonly normal?: readonly [min: number, max: number] | readonly [first: Range, second: Range]
  /** Where the usual range is from: every measure with such a range has it. */
  readonly normalSource?: string
  readonly choices?: readonly Choice[]
  readonly codes?: MeasureCodes
}
