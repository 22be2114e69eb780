/**
 * LOINC codes of measurements that the type and the streams identify. Nothing is guessed: a measurement that is not
 * certain has no code.
 */
import { findMeasure } from '../../schemas/measures/catalogue.js'
import type { Path, StreamPlace } from './stream-names.js'

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
  /** Pattern that the name of one of the streams has to match. */
  readonly matchesName?: RegExp
  /** Pattern that no name of the streams may match. */
  readonly excludesName?: RegExp
}

/** Names of what is counted in beats per minute like a heart rate, or compared with one. */
const notHeartRate =
  /cadence|cadenza|kadenz|trittfrequenz|tempo|music|musik|musique|variab|recover|erholung|récup|respir|breath|atem|atmung/i
/** Names of what people want to reach, or of statistics: no measurement, whatever it is of. */
const notMeasured =
  /\b(?:goal|target)s?\b|\bziel|wunsch|objectif|\bcible|threshold|schwelle|seuil|deviation|abweichung/i

/** The first rule that matches applies. Names are in the languages of the pages. */
const codingRules: readonly Rule[] = [
  {
    types: ['blood-pressure/mmhg-bpm'],
    measures: ['blood-pressure'],
    loinc: [['85354-9', 'Blood pressure panel with all children optional']],
    category: 'vital-signs'
  },
  {
    types: ['frequency/bpm'],
    measures: ['resting-heart-rate'],
    matchesName: /\brest(?:ing)?\b|ruhe|repos/i,
    excludesName: notHeartRate,
    loinc: [['40443-4', 'Heart rate --resting']],
    category: 'vital-signs'
  },
  {
    types: ['frequency/bpm'],
    measures: [
      'heart-rate',
      'walking-heart-rate',
      'sleeping-heart-rate',
      'workout-heart-rate',
      'average-heart-rate',
      'highest-heart-rate',
      'lowest-heart-rate'
    ],
    excludesName: notHeartRate,
    loinc: [['8867-4', 'Heart rate']],
    category: 'vital-signs'
  },
  {
    types: ['frequency/brpm'],
    measures: ['respiratory-rate'],
    loinc: [['9279-1', 'Respiratory rate']],
    category: 'vital-signs'
  },
  {
    types: ['mass/kg', 'mass/g', 'mass/lb', 'mass/st', 'mass/oz'],
    measures: ['weight'],
    matchesName: /weight|body mass|gewicht|poids/i,
    excludesName:
      /fat|lean|muscle|bone|water|lift|luggage|food|fett|mager|muskel|knochen|wasser|graisse|maigre|musc|osseu|\beau\b|train|exerci|workout|bewegt|heben|hantel|dumbbell|barbell|soulev|haltère|gepäck|bagage|\bloss|\blost|\bgain|verlust|abnahme|zunahme|perte|prise de/i,
    loinc: [['29463-7', 'Body weight']],
    category: 'vital-signs'
  },
  {
    types: ['length/cm', 'length/m', 'length/in', 'length/ft'],
    measures: ['height'],
    // The German "Taille" is the waist: alone, the word is not certain.
    matchesName: /\bheight|grösse|größe|taille corporelle|taille debout|stature/i,
    excludesName:
      /waist|tour de|umfang|girth|circonf|circumf|sit|fundal|elevation|climb|altitude|table|tisch|desk|bureau|jump|sprung|saut|wave|welle|vague|snow|schnee|neige|schuh|kleid|tumou?r/i,
    loinc: [['8302-2', 'Body height']],
    category: 'vital-signs'
  },
  {
    types: ['pressure/kg-m2'],
    measures: ['body-mass-index'],
    matchesName: /\bbmi\b|body[ -]mass[ -]index|\bimc\b|indice de masse|körpermasse/i,
    loinc: [['39156-5', 'Body mass index (BMI) [Ratio]']],
    category: 'vital-signs'
  },
  {
    types: ['temperature/c', 'temperature/f'],
    measures: ['body-temperature', 'basal-body-temperature'],
    matchesName: /\bbody|körper|corps|corporel|fever|fieber|fièvre/i,
    excludesName:
      /room|zimmer|raum|pièce|outside|aussen|water|wasser|skin|haut|peau|cutan|wrist|handgelenk|poignet/i,
    loinc: [['8310-5', 'Body temperature']],
    category: 'vital-signs'
  },
  {
    types: ['ratio/percent'],
    measures: ['oxygen-saturation'],
    matchesName: /oxygen|spo2|\bo2\b|sauerstoff|oxygène|oxymétrie/i,
    excludesName:
      /muscle|muskel|muscul|tissue|gewebe|tissu|fio2|inspir|desat|entsätt|ventil|ven(?:ous|ös)|veineu/i,
    loinc: [
      ['59408-5', 'Oxygen saturation in Arterial blood by Pulse oximetry'],
      ['2708-6', 'Oxygen saturation in Arterial blood']
    ],
    category: 'vital-signs'
  },
  {
    types: ['ratio/percent'],
    measures: ['body-fat'],
    matchesName: /body fat|körperfett|masse grasse|graisse corporelle/i,
    loinc: [['41982-0', 'Percentage of body fat Measured']],
    category: 'vital-signs'
  },
  createGlucoseRule(['density/mg-dl', 'density/g-dl'], '2339-0', 'Glucose [Mass/volume] in Blood'),
  createGlucoseRule(['density/mmol-l'], '15074-8', 'Glucose [Moles/volume] in Blood'),
  {
    types: ['count/steps'],
    measures: ['steps'],
    loinc: [['55423-8', 'Number of steps in unspecified time Pedometer']],
    category: 'activity'
  }
]

/** The code for being asleep; other kinds of sleep analysis have codes for whole nights only. */
export const sleepCoding: Coding = { loinc: [['93832-4', 'Sleep duration']], category: 'activity' }

/** Codes of the parts of a blood pressure, by the names of their fields. */
export const bloodPressureParts: Readonly<Record<string, readonly [code: string, display: string]>> = {
  systolic: ['8480-6', 'Systolic blood pressure'],
  diastolic: ['8462-4', 'Diastolic blood pressure'],
  rate: ['8867-4', 'Heart rate']
}

/**
 * Returns the coding of a type in these streams, and `at`, the index of the stream that identifies it; `undefined` if
 * there is none. A stream that is marked with a measure holds that and nothing else, whatever its name is.
 */
export function findCoding(
  type: string,
  { mark, path }: StreamPlace
): { code: Coding; at: number } | undefined {
  const measure = mark && findMeasure(mark.measure)
  // What belongs to no measure of the catalogue, or to the user's own, is not certain.
  if (mark && !measure) return undefined
  const isMarked = measure?.types.includes(type) === true
  for (const rule of codingRules) {
    if (!rule.types.includes(type)) continue
    const at = !isMarked ? findName(rule, path) : rule.measures.includes(measure.id) ? mark!.at : -1
    if (at >= 0) return { code: rule, at }
  }
  return undefined
}

/** Returns the index of the stream whose name is that of a rule; -1 if there is none, or the name of another excludes it. */
function findName({ excludesName, matchesName }: Rule, path: Path): number {
  if (path.some(name => notMeasured.test(name) || excludesName?.test(name))) return -1
  return matchesName ? path.findLastIndex(name => matchesName.test(name)) : path.length - 1
}

/** A way in which an event is coded: its types, and what the code says. */
interface CodedTypes extends Coding {
  readonly types: readonly string[]
}

/** Returns what can have a code, with the types of such events. */
export function listCodedTypes(): readonly CodedTypes[] {
  return [...codingRules, { ...sleepCoding, types: ['sleep/analysis'] }]
}

function createGlucoseRule(types: readonly string[], code: string, display: string): Rule {
  return {
    types,
    measures: ['glucose', 'fasting-glucose'],
    // Not triglycerides, glycerol, or what has a part of glucose only.
    matchesName: /gl[uy][ck]o[smz]|gl[uy][ck](?:a?e|ä|é)mi|blood sugar|zucker|sucre/i,
    excludesName: /urin|s[uú]ri[ae]|food|intake|h[aä]mo|hémo|hba1c/i,
    loinc: [[code, display]],
    category: 'laboratory'
  }
}
