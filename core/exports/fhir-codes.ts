/**
 * LOINC codes of measurements that the type and the streams identify. Nothing is guessed: a measurement that is not
 * certain has no code.
 */
import { findMeasure } from '../../schemas/measures/catalogue.js'
import { convertUnit, splitType } from '../../schemas/units.js'
import { isName, readName } from './fhir-names.js'
import type { StreamPlace } from './stream-names.js'

/** What an observation is about. */
export interface Coding {
  /** Codes with their names, the most precise one first. */
  readonly loinc: readonly (readonly [code: string, display: string])[]
  readonly category: 'vital-signs' | 'laboratory' | 'activity'
}

interface Rule extends Coding {
  readonly types: readonly string[]
  /** The measures of the catalogue that the code is for. */
  readonly measures: readonly string[]
  /** Pattern of the words that the name of one of the streams has to consist of, besides neutral ones; those above it group measurements, and those below are devices. */
  readonly matchesName?: RegExp
  /** Where the type is enough: the pattern of names that say what a stream holds. Streams below are devices. */
  readonly findsName?: RegExp
  /** Pattern that no name of the streams may match. */
  readonly excludesName?: RegExp
}

/** Names of what is counted in beats per minute like a heart rate, or compared with one. */
const notHeartRate =
  /cadence|cadenza|kadenz|trittfrequenz|schrittfrequenz|schlagzahl|stroke|\bsteps? (?:per|rate)|\bspm\b|\brpm\b|\bpas par|tempo|metrono|métrono|drum|trommel|batterie|music|musik|musique|recover|erholung|récup|reserve|réserve|variab|\bhr[rv]\b|\blthr\b|\bzones?\b|respir|breath|atem|atmung/i
/** The first rule that matches applies. Names are in the languages of the pages. */
const codingRules: readonly Rule[] = [
  {
    types: ['blood-pressure/mmhg-bpm'],
    measures: ['blood-pressure'],
    findsName: /blood ?pressure|blutdruck|tension|pression|\bbp\b/i,
    loinc: [['85354-9', 'Blood pressure panel with all children optional']],
    category: 'vital-signs'
  },
  {
    types: ['frequency/bpm'],
    measures: ['resting-heart-rate'],
    matchesName:
      /rhr|rest(?:ing)?(?: (?:heart rate|pulse|hr|bpm))?|(?:heart rate|pulse|hr|bpm|puls|herzfrequenz) (?:rest|ruhe)|ruhe ?(?:puls|herzfrequenz|hf)?|(?:(?:fréquence cardiaque|pouls|fc) )?repos/,
    excludesName: notHeartRate,
    // FHIR requires the general code of a vital sign besides a more specific one.
    loinc: [
      ['40443-4', 'Heart rate --resting'],
      ['8867-4', 'Heart rate']
    ],
    category: 'vital-signs'
  },
  {
    types: ['frequency/bpm'],
    // That of walking is an average in the only source that has it.
    measures: ['heart-rate', 'sleeping-heart-rate', 'workout-heart-rate'],
    findsName: /heart|\bpuls|herz|cardi|pouls|\bhr\b|\bbpm\b/i,
    excludesName: notHeartRate,
    loinc: [['8867-4', 'Heart rate']],
    category: 'vital-signs'
  },
  {
    types: ['frequency/brpm'],
    measures: ['respiratory-rate'],
    findsName: /respir|breath|atem|atmung/i,
    loinc: [['9279-1', 'Respiratory rate']],
    category: 'vital-signs'
  },
  {
    types: ['mass/kg', 'mass/g', 'mass/lb', 'mass/st', 'mass/oz'],
    measures: ['weight'],
    matchesName:
      /(?:body ?)?weight|body ?mass|(?:körper ?)?gewicht|poids(?: corps| corporel)?|masse corporelle/,
    excludesName:
      /fat|lean|muscle|bone|water|lift|luggage|food|fett|mager|muskel|knochen|wasser|graisse|maigre|musc|osseu|\beau\b|train|exerci|workout|bewegt|heben|hantel|dumbbell|barbell|kettlebell|squat|bench|\bpress\b|\bdry\b|trocken|portion|\bparts?\b|\b(?:and|&) balance|serving|meal|breakfast|lunch|dinner|frühstück|mittagessen|abendessen|déjeuner|dîner|mahlzeit|repas|ingredient|zutat|backpack|package|paket|colis|rucksack|soulev|haltère|gepäck|bagage|\bloss|\blost|\bgain|\bhive|bienen|ruche|harvest|ernte|récolte|vehicle|fahrzeug|véhicule|trailer|anhänger|verlust|abnahme|zunahme|perte|prise de/i,
    loinc: [['29463-7', 'Body weight']],
    category: 'vital-signs'
  },
  {
    types: ['length/cm', 'length/m', 'length/in', 'length/ft'],
    measures: ['height'],
    // The German "Taille" is the waist: alone, the word is not certain.
    // German words such as "Tumorgröße" are of anything.
    matchesName:
      /(?:(?:body|standing) )?height|(?:körper ?)?gr(?:össe|öße)|taille (?:corporelle|debout)|stature/,
    excludesName:
      /waist|tour de|umfang|girth|circonf|circumf|sit|seat|saddle|heel|ceiling|\btide|fundal|uter|elevation|climb|altitude|table|tisch|desk|bureau|jump|sprung|saut|wave|welle|vague|snow|schnee|neige|schuh|kleid|tumou?r|knee|\bknie|genou|chair|stuhl|chaise/i,
    loinc: [['8302-2', 'Body height']],
    category: 'vital-signs'
  },
  {
    types: ['pressure/kg-m2'],
    measures: ['body-mass-index'],
    matchesName: /bmi|body mass index|imc|indice masse corporelle|körpermasse(?: ?index)?/,
    loinc: [['39156-5', 'Body mass index (BMI) [Ratio]']],
    category: 'vital-signs'
  },
  {
    types: ['temperature/c', 'temperature/f'],
    measures: ['body-temperature', 'basal-body-temperature'],
    matchesName:
      /(?:core |basal )?body temp(?:eratures?)?|körper(?:kern)?temp(?:eratur)?|temp(?:érature)?s? (?:corporelles?|corps)|fever|fieber|fièvre/,
    excludesName:
      /room|zimmer|raum|pièce|outside|aussen|water|wasser|skin|haut|peau|cutan|wrist|handgelenk|poignet|ambient|umgebung|environ|\bair\b|luft|bath|\bbad|\bbain|surface|oberfl/i,
    loinc: [['8310-5', 'Body temperature']],
    category: 'vital-signs'
  },
  {
    types: ['ratio/percent'],
    measures: ['oxygen-saturation'],
    matchesName:
      /(?:blood |o2 ?|oxygen )?saturation|(?:blood )?oxygen(?: saturation)?|s[pa]o2|o2|(?:(?:blut ?)?sauerstoff ?|o2 ?)?sättigung(?: blut)?|(?:blut ?)?sauerstoff(?: blut)?|(?:saturation )?oxygène(?: sang| sanguin)?|oxymétrie/,
    excludesName:
      /muscle|muskel|muscul|tissue|gewebe|tissu|cerebral|zerebral|cérébral|fio2|inspir|\bair\b|raumluft|ambient|umgebung|\bflow|\bdébit|desat|entsätt|dissolved|aquari|ventil|ven(?:ous|ös)|veineu|\bbelow\b|\bunter\b|\bsous\b|<|\bdrop|abfall|baisse|uptake|aufnahme|consum|verbrauch|consomm/i,
    loinc: [
      ['59408-5', 'Oxygen saturation in Arterial blood by Pulse oximetry'],
      ['2708-6', 'Oxygen saturation in Arterial blood']
    ],
    category: 'vital-signs'
  },
  {
    types: ['ratio/percent'],
    measures: ['body-fat'],
    matchesName: /body ?fat|körper ?fett(?:anteil)?|masse grasse|graisse corporelle/,
    excludesName: /visc|viszeral|trunk|rumpf|\btronc|\barms?\b|\blegs?\b|\bbras\b|\bjambe|\bbeine?\b/i,
    loinc: [['41982-0', 'Percentage of body fat Measured']],
    category: 'vital-signs'
  },
  createGlucoseRule(['density/mg-dl', 'density/g-dl'], '2339-0', 'Glucose [Mass/volume] in Blood'),
  createGlucoseRule(['density/mmol-l'], '15074-8', 'Glucose [Moles/volume] in Blood'),
  {
    types: ['count/steps'],
    measures: ['steps'],
    findsName: /\bsteps?\b|schritt|\bpas\b/i,
    excludesName: /stair|treppe|escalier|\bper min|pro minute|par minute/i,
    loinc: [['55423-8', 'Number of steps in unspecified time Pedometer']],
    category: 'activity'
  },
  // Of being asleep.
  {
    types: ['sleep/analysis'],
    measures: ['sleep'],
    findsName: /sleep|schlaf|sommeil/i,
    loinc: [['93832-4', 'Sleep duration']],
    category: 'activity'
  }
]

/** Codes of the parts of a blood pressure, by the names of their fields. */
export const bloodPressureParts: Readonly<Record<string, readonly [code: string, display: string]>> = {
  systolic: ['8480-6', 'Systolic blood pressure'],
  diastolic: ['8462-4', 'Diastolic blood pressure'],
  rate: ['8867-4', 'Heart rate']
}

/** How a measurement is recognised. */
export interface FoundCoding {
  readonly code: Coding
  /** The place of the stream that identifies it. */
  readonly place: StreamPlace
  /** The index of that stream in the path; -1 if it is not in the path. */
  readonly at: number
  /** Whether the type alone identifies it: the stream may be named after a device. */
  readonly isUnnamed?: true
}

/**
 * Returns the coding of a type in an event's streams, in their order; `undefined` if there is none. In a stream that is marked with
 * a measure, what can be converted to the measure's types is of that measure, whatever the names are; the first such stream counts.
 * Otherwise, what a name or another mark excludes in one of the streams is excluded.
 */
export function findCoding(type: string, places: readonly StreamPlace[]): FoundCoding | undefined {
  const readings = places.map(place => readPlace(type, place))
  const marked = readings.find(reading => reading.marked)?.marked
  if (marked) return marked === 'none' ? undefined : marked
  for (const index of readings[0]?.named.keys() ?? []) {
    const all = readings.flatMap(({ named }) => named[index] ?? [])
    const found = all.filter(each => each !== 'none')
    if (found.length === all.length && found[0]) return found.find(each => !each.isUnnamed) ?? found[0]
  }
  return undefined
}

/** What a stream and those above say about a type. */
interface Reading {
  /** The coding of the measure that the mark decides on; `'none'` if that has none. */
  readonly marked?: FoundCoding | 'none' | undefined
  /** By rule for the type: its coding, `'none'` if it is excluded, `undefined` if nothing is said. */
  readonly named: readonly (FoundCoding | 'none' | undefined)[]
}

/** Maximum number of streams above each other whose names are compared. */
const maxLevels = 30

/** The readings by type: streams have thousands of events, and long names. */
const readingsByPlace = new WeakMap<StreamPlace, Map<string, Reading>>()

function readPlace(type: string, place: StreamPlace): Reading {
  let known = readingsByPlace.get(place)
  if (!known) readingsByPlace.set(place, (known = new Map()))
  let reading = known.get(type)
  if (!reading) known.set(type, (reading = computeReading(type, place)))
  return reading
}

function computeReading(type: string, place: StreamPlace): Reading {
  const { above, isCopied, mark, path } = place
  const rules = codingRules.filter(rule => rule.types.includes(type))
  const measure = mark && findMeasure(mark.measure)
  if (measure?.types.some(each => isSameQuantity(type, each))) {
    const rule = rules.find(({ measures }) => measures.includes(measure.id))
    return { marked: rule ? { code: rule, place, at: mark!.at } : 'none', named: [] }
  }
  // What belongs to no measure of the catalogue, or to the user's own, is not certain.
  if ((mark && !measure) || path.length + above.length > maxLevels)
    return { named: rules.map(() => 'none' as const) }
  const shown = path.map(readName)
  // Of a copy, the user at the root is the subject.
  const all = [...above.toReversed().map(readName), ...shown].slice(isCopied ? 1 : 0)
  const forms = all.flatMap(name => name.forms)
  const isExcluded = all.some(({ isNotMeasured }) => isNotMeasured)
  const isCertain = (at: number): boolean =>
    all.slice(0, all.length - (path.length - at)).every(({ isGroup }) => isGroup) &&
    shown.slice(at + 1).every(({ isDevice }) => isDevice)
  const named = rules.map(({ excludesName, findsName, matchesName, ...code }) => {
    if (isExcluded || (excludesName && forms.some(form => excludesName.test(form)))) return 'none' as const
    const at = shown.findLastIndex(name =>
      name.forms.some(form => (matchesName ? isName(form, matchesName) : findsName?.test(form) === true))
    )
    if (at >= 0) return matchesName && !isCertain(at) ? undefined : { code, place, at }
    return matchesName ? undefined : { code, place, at: path.length - 1, isUnnamed: true as const }
  })
  return { named }
}

/** Returns whether values of two types are of the same quantity. What a frequency counts, such as breaths, has no conversion. */
function isSameQuantity(type: string, other: string): boolean {
  const [unitClass] = splitType(type)
  const isFrequency = unitClass === 'frequency' && splitType(other)[0] === unitClass
  return isFrequency || convertUnit(1, type, other, true) !== undefined
}

/** Returns what can have a code, with the types of such events. */
export function listCodedTypes(): readonly (Coding & Pick<Rule, 'types'>)[] {
  return codingRules
}

function createGlucoseRule(types: readonly string[], code: string, display: string): Rule {
  return {
    types,
    measures: ['glucose', 'fasting-glucose'],
    // Not triglycerides, glycerol, or what has a part of glucose only.
    matchesName:
      /(?:blood )?(?:glucose|sugar)s?(?: blood)?|(?:nüchtern)?(?:blut ?)?(?:zucker|gl[uy][ck]ose)(?: blut)?|gl[yi][ck](?:a?e|ä|é)mi[ae]s?|(?:sucre|glucose)(?: sang| sanguin)?/,
    excludesName:
      /urin|s[uú]ri[ae]|food|intake|h[aäe]mo|hémo|hba1c|gl[uy][ck]os(?:am|yl)|serum|sérum|plasma|liquor|spinal|\bcsf\b|\blcr\b|saliv|speichel|sweat|schweiß|schweiss|sueur|tears?\b|interstiti/i,
    loinc: [[code, display]],
    category: 'laboratory'
  }
}
