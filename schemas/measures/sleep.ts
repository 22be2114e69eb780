/** Measures of sleep. */
import { inCategory, type Measure } from './measure.js'
import { hours, longDuration } from './units-of-measures.js'

export const sleep: readonly Measure[] = inCategory('sleep', [
  {
    id: 'sleep',
    names: { en: 'Sleep', de: 'Schlaf', fr: 'Sommeil' },
    icon: 'moon',
    hue: 245,
    kind: 'span',
    types: ['sleep/analysis'],
    isDefault: true,
    choices: [
      { value: 'inBed', names: { en: 'In bed', de: 'Im Bett', fr: 'Au lit' } },
      { value: 'asleep', names: { en: 'Asleep', de: 'Schlafend', fr: 'Endormi' } },
      { value: 'awake', names: { en: 'Awake', de: 'Wach', fr: 'Éveillé' } }
    ],
    codes: {
      healthKit: ['HKCategoryTypeIdentifierSleepAnalysis'],
      healthConnect: ['SleepSessionRecord']
    }
  },
  {
    id: 'time-asleep',
    names: { en: 'Time asleep', de: 'Schlafdauer', fr: 'Temps de sommeil' },
    icon: 'alarm-clock',
    hue: 230,
    kind: 'sum',
    types: hours,
    unit: longDuration,
    plausible: [0, 14],
    possible: [0, 25],
    codes: { loinc: ['93832-4'] }
  }
])
