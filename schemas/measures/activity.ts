/** Measures of what people do with their bodies: totals of the day, energy, and activities. */
import { inCategory, type Measure } from './measure.js'
import { distance, distances, duration, energies, minutes } from './units-of-measures.js'

const kilocalories = { shown: 'energy/kcal', offered: ['energy/kcal'] }

export const activity: readonly Measure[] = inCategory('activity', [
  {
    id: 'steps',
    names: { en: 'Steps', de: 'Schritte', fr: 'Pas' },
    icon: 'footprints',
    hue: 145,
    kind: 'sum',
    types: ['count/steps', 'count/generic'],
    isDefault: ['count/steps'],
    plausible: [0, 50_000],
    possible: [0, 400_000],
    codes: {
      loinc: ['55423-8', '41950-7'],
      healthKit: ['HKQuantityTypeIdentifierStepCount'],
      healthConnect: ['StepsRecord']
    }
  },
  {
    id: 'distance',
    names: { en: 'Distance', de: 'Strecke', fr: 'Distance' },
    icon: 'route',
    hue: 165,
    kind: 'sum',
    types: distances,
    unit: distance,
    plausible: [0, 100_000],
    possible: [0, 1_000_000],
    codes: {
      healthKit: ['HKQuantityTypeIdentifierDistanceWalkingRunning'],
      healthConnect: ['DistanceRecord']
    }
  },
  {
    id: 'active-energy',
    names: { en: 'Active energy', de: 'Aktivitätsenergie', fr: 'Énergie active' },
    icon: 'flame',
    hue: 15,
    kind: 'sum',
    types: energies,
    unit: kilocalories,
    plausible: [0, 4000],
    possible: [0, 30_000],
    codes: {
      healthKit: ['HKQuantityTypeIdentifierActiveEnergyBurned'],
      healthConnect: ['ActiveCaloriesBurnedRecord']
    }
  },
  {
    id: 'resting-energy',
    names: { en: 'Resting energy', de: 'Ruheenergie', fr: 'Énergie au repos' },
    icon: 'flame-kindling',
    hue: 35,
    kind: 'sum',
    types: energies,
    unit: kilocalories,
    plausible: [0, 4000],
    possible: [0, 15_000],
    codes: { healthKit: ['HKQuantityTypeIdentifierBasalEnergyBurned'] }
  },
  {
    id: 'total-energy',
    names: { en: 'Energy burned', de: 'Energieverbrauch', fr: 'Énergie dépensée' },
    icon: 'zap',
    hue: 50,
    kind: 'sum',
    types: energies,
    unit: kilocalories,
    plausible: [0, 8000],
    possible: [0, 30_000],
    codes: { healthConnect: ['TotalCaloriesBurnedRecord'] }
  },
  {
    id: 'floors-climbed',
    names: { en: 'Floors climbed', de: 'Gestiegene Stockwerke', fr: 'Étages montés' },
    icon: 'chevrons-up',
    hue: 265,
    kind: 'sum',
    types: ['count/generic'],
    plausible: [0, 150],
    possible: [0, 5000],
    codes: {
      healthKit: ['HKQuantityTypeIdentifierFlightsClimbed'],
      healthConnect: ['FloorsClimbedRecord']
    }
  },
  {
    id: 'exercise-time',
    names: { en: 'Exercise', de: 'Trainingszeit', fr: 'Temps d’exercice' },
    icon: 'timer',
    hue: 125,
    kind: 'sum',
    types: minutes,
    unit: duration,
    plausible: [0, 360],
    possible: [0, 1500],
    codes: { healthKit: ['HKQuantityTypeIdentifierAppleExerciseTime'] }
  },
  {
    id: 'activity',
    names: { en: 'Activities', de: 'Aktivitäten', fr: 'Activités' },
    icon: 'sport-shoe',
    hue: 100,
    kind: 'span',
    types: ['activity/plain'],
    isDefault: true,
    codes: { healthKit: ['HKWorkoutTypeIdentifier'], healthConnect: ['ExerciseSessionRecord'] }
  }
])
