/** Measures of sleep. */
import { sleepStates } from '../rows/choices.js'
import { createRow, inCategory, type NameList, type Row } from '../rows/create-row.js'
import { duration, hours, longDuration, minutes } from '../rows/units.js'

/** Builds a part of a night (hours), with the largest plausible one. */
function createPart(
  id: string,
  names: NameList,
  icon: string,
  hue: number,
  largest: number,
  codes?: Row['codes']
): Row {
  return createRow(id, names, icon, hue, 'sum', hours, {
    unit: longDuration,
    plausible: [0, largest],
    possible: [0, 25],
    ...(codes && { codes })
  })
}

export const sleep = inCategory('sleep', [
  createRow('sleep', ['Sleep', 'Schlaf', 'Sommeil'], 'moon', 245, 'span', ['sleep/analysis'], {
    isDefault: true,
    choices: sleepStates,
    codes: {
      healthKit: ['HKCategoryTypeIdentifierSleepAnalysis'],
      healthConnect: ['SleepSessionRecord']
    }
  }),
  createPart('time-asleep', ['Time asleep', 'Schlafdauer', 'Temps de sommeil'], 'alarm-clock', 230, 14, {
    loinc: ['93832-4']
  }),
  createPart('time-in-bed', ['Time in bed', 'Zeit im Bett', 'Temps au lit'], 'bed-double', 215, 16),
  createPart('deep-sleep', ['Deep sleep', 'Tiefschlaf', 'Sommeil profond'], 'moon-star', 265, 6),
  createPart('light-sleep', ['Light sleep', 'Leichtschlaf', 'Sommeil léger'], 'cloud-moon', 200, 10),
  createPart('rem-sleep', ['REM sleep', 'REM-Schlaf', 'Sommeil paradoxal'], 'sparkles', 290, 6),
  createPart(
    'time-awake',
    ['Time awake at night', 'Wachzeit in der Nacht', 'Temps d’éveil la nuit'],
    'eye',
    40,
    6
  ),
  createRow(
    'sleep-latency',
    ['Time to fall asleep', 'Einschlafdauer', 'Délai d’endormissement'],
    'hourglass',
    250,
    'level',
    minutes,
    {
      unit: duration,
      plausible: [0, 180],
      possible: [0, 1440]
    }
  ),
  createRow(
    'night-awakenings',
    ['Night-time awakenings', 'Nächtliches Aufwachen', 'Réveils nocturnes'],
    'bell',
    55,
    'sum',
    ['count/generic'],
    {
      plausible: [0, 30],
      possible: [0, 1000]
    }
  ),
  createRow(
    'sleep-quality',
    ['Sleep quality', 'Schlafqualität', 'Qualité du sommeil'],
    'star',
    50,
    'level',
    ['count/generic'],
    {
      plausible: [0, 10],
      possible: [0, 10]
    }
  ),
  createRow(
    'breathing-disturbances',
    ['Breathing disturbances', 'Atemstörungen', 'Perturbations respiratoires'],
    'wind',
    175,
    'level',
    ['count/generic'],
    {
      plausible: [0, 100],
      possible: [0, 1000],
      codes: { healthKit: ['HKQuantityTypeIdentifierAppleSleepingBreathingDisturbances'] }
    }
  ),
  createRow(
    'apnoea-index',
    [
      'Apnoea–hypopnoea index (per hour)',
      'Apnoe-Hypopnoe-Index (pro Stunde)',
      'Indice d’apnées-hypopnées (par heure)'
    ],
    'wind',
    190,
    'level',
    ['count/generic'],
    {
      plausible: [0, 100],
      possible: [0, 400]
    }
  )
])
