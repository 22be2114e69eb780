/**
 * LOINC codes of measurements that the type and the streams identify. Nothing is guessed: a measurement that is not
 * certain has no code.
 */
import type { Path } from './stream-names.js'

/** What an observation is about. */
export interface Coding {
  /** Codes with their names, the most precise one first. */
  readonly loinc: readonly (readonly [code: string, display: string])[]
  readonly category: 'vital-signs' | 'laboratory' | 'activity'
}

interface Rule extends Coding {
  readonly types: readonly string[]
  /** Pattern that the name of one of the streams has to match. */
  readonly matchesName?: RegExp
  /** Pattern that no name of the streams may match. */
  readonly excludesName?: RegExp
}

/** The first rule that matches applies. Names are in the languages of the pages. */
const codingRules: readonly Rule[] = [
  {
    types: ['blood-pressure/mmhg-bpm'],
    loinc: [['85354-9', 'Blood pressure panel with all children optional']],
    category: 'vital-signs'
  },
  {
    types: ['frequency/bpm'],
    matchesName: /\brest(?:ing)?\b|ruhe|repos/i,
    loinc: [['40443-4', 'Heart rate --resting']],
    category: 'vital-signs'
  },
  {
    types: ['frequency/bpm'],
    excludesName: /cadence|cadenza|kadenz|trittfrequenz|tempo|music|musik|musique|variab/i,
    loinc: [['8867-4', 'Heart rate']],
    category: 'vital-signs'
  },
  { types: ['frequency/brpm'], loinc: [['9279-1', 'Respiratory rate']], category: 'vital-signs' },
  {
    types: ['mass/kg', 'mass/g', 'mass/lb', 'mass/st', 'mass/oz'],
    matchesName: /weight|gewicht|poids/i,
    excludesName:
      /fat|lean|muscle|bone|water|lift|luggage|food|fett|mager|muskel|knochen|wasser|graisse|maigre|musc|osseu|\beau\b/i,
    loinc: [['29463-7', 'Body weight']],
    category: 'vital-signs'
  },
  {
    types: ['length/cm', 'length/m', 'length/in', 'length/ft'],
    matchesName: /\bheight|grösse|größe|\btaille|stature/i,
    excludesName: /waist|tour de|sit|fundal|elevation|climb|altitude|table|tisch/i,
    loinc: [['8302-2', 'Body height']],
    category: 'vital-signs'
  },
  {
    types: ['pressure/kg-m2'],
    matchesName: /\bbmi\b|body mass index|\bimc\b|körpermasse/i,
    loinc: [['39156-5', 'Body mass index (BMI) [Ratio]']],
    category: 'vital-signs'
  },
  {
    types: ['temperature/c', 'temperature/f'],
    matchesName: /\bbody|körper|corps|corporel|fever|fieber|fièvre/i,
    excludesName: /room|zimmer|raum|pièce|outside|aussen|water|wasser/i,
    loinc: [['8310-5', 'Body temperature']],
    category: 'vital-signs'
  },
  {
    types: ['ratio/percent'],
    matchesName: /oxygen|spo2|\bo2\b|sauerstoff|oxygène|oxymétrie/i,
    loinc: [
      ['59408-5', 'Oxygen saturation in Arterial blood by Pulse oximetry'],
      ['2708-6', 'Oxygen saturation in Arterial blood']
    ],
    category: 'vital-signs'
  },
  {
    types: ['ratio/percent'],
    matchesName: /body fat|körperfett|masse grasse|graisse corporelle/i,
    loinc: [['41982-0', 'Percentage of body fat Measured']],
    category: 'vital-signs'
  },
  createGlucoseRule(['density/mg-dl', 'density/g-dl'], '2339-0', 'Glucose [Mass/volume] in Blood'),
  createGlucoseRule(['density/mmol-l'], '15074-8', 'Glucose [Moles/volume] in Blood'),
  {
    types: ['count/steps'],
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
 * there is none.
 */
export function findCoding(type: string, path: Path): { code: Coding; at: number } | undefined {
  for (const rule of codingRules) {
    if (!rule.types.includes(type)) continue
    if (rule.excludesName && path.some(name => rule.excludesName!.test(name))) continue
    const at = rule.matchesName ? path.findLastIndex(name => rule.matchesName!.test(name)) : path.length - 1
    if (at >= 0) return { code: rule, at }
  }
  return undefined
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
    matchesName: /gl[uy][ck]o|glycé|glyce|blood sugar|zucker|sucre/i,
    excludesName: /urin|food|intake/i,
    loinc: [[code, display]],
    category: 'laboratory'
  }
}
