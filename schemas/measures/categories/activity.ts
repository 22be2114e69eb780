/** Measures of movement in a day: totals, energy, and fitness. */
import { createRow, inCategory, type NameList, type Row } from '../rows/create-row.js'
import { distance, distances, duration, elevation, energies, minutes } from '../rows/units.js'

/** Builds a distance covered (m), with the largest plausible one. */
function createDistance(
  id: string,
  names: NameList,
  icon: string,
  hue: number,
  largest: number,
  codes?: Row['codes']
): Row {
  return createRow(id, names, icon, hue, 'sum', distances, {
    unit: distance,
    plausible: [0, largest],
    possible: [0, 2_000_000],
    ...(codes && { codes })
  })
}

/** Builds an energy used (kcal), with the largest plausible one. */
function createEnergy(
  id: string,
  names: NameList,
  icon: string,
  hue: number,
  largest: number,
  codes?: Row['codes']
): Row {
  return createRow(id, names, icon, hue, 'sum', energies, {
    unit: { shown: 'energy/kcal', offered: ['energy/kcal'] },
    plausible: [0, largest],
    possible: [0, 40_000],
    ...(codes && { codes })
  })
}

/** Builds a time spent (min). */
function createTime(id: string, names: NameList, icon: string, hue: number, codes?: Row['codes']): Row {
  return createRow(id, names, icon, hue, 'sum', minutes, {
    unit: duration,
    plausible: [0, 960],
    possible: [0, 1500],
    ...(codes && { codes })
  })
}

/** Builds a number of times (no unit), with the largest plausible and possible ones. */
function createCount(
  id: string,
  names: NameList,
  icon: string,
  hue: number,
  [likely, largest]: readonly [number, number],
  codes?: Row['codes']
): Row {
  return createRow(id, names, icon, hue, 'sum', ['count/generic'], {
    plausible: [0, likely],
    possible: [0, largest],
    ...(codes && { codes })
  })
}

export const activity = inCategory('activity', [
  createRow('steps', ['Steps', 'Schritte', 'Pas'], 'footprints', 145, 'sum', ['count/steps'], {
    isDefault: true,
    plausible: [0, 60_000],
    possible: [0, 400_000],
    codes: {
      loinc: ['55423-8', '41950-7'],
      healthKit: ['HKQuantityTypeIdentifierStepCount'],
      healthConnect: ['StepsRecord']
    }
  }),
  createDistance('distance', ['Distance', 'Strecke', 'Distance'], 'route', 165, 100_000, {
    healthKit: ['HKQuantityTypeIdentifierDistanceWalkingRunning'],
    healthConnect: ['DistanceRecord']
  }),
  createDistance(
    'running-distance',
    ['Distance run', 'Gelaufene Strecke', 'Distance courue'],
    'route',
    25,
    100_000
  ),
  createDistance(
    'cycling-distance',
    ['Distance cycled', 'Mit dem Rad gefahrene Strecke', 'Distance à vélo'],
    'bike',
    185,
    400_000,
    {
      healthKit: ['HKQuantityTypeIdentifierDistanceCycling']
    }
  ),
  createDistance(
    'swimming-distance',
    ['Distance swum', 'Geschwommene Strecke', 'Distance nagée'],
    'waves',
    200,
    30_000,
    {
      healthKit: ['HKQuantityTypeIdentifierDistanceSwimming']
    }
  ),
  createDistance(
    'wheelchair-distance',
    ['Wheelchair distance', 'Strecke im Rollstuhl', 'Distance en fauteuil roulant'],
    'accessibility',
    220,
    100_000,
    {
      healthKit: ['HKQuantityTypeIdentifierDistanceWheelchair']
    }
  ),
  createDistance(
    'snow-sports-distance',
    ['Snow sports distance', 'Strecke beim Wintersport', 'Distance en sports d’hiver'],
    'snowflake',
    205,
    150_000,
    {
      healthKit: [
        'HKQuantityTypeIdentifierDistanceDownhillSnowSports',
        'HKQuantityTypeIdentifierDistanceCrossCountrySkiing'
      ]
    }
  ),
  createDistance(
    'rowing-distance',
    ['Distance rowed or paddled', 'Geruderte oder gepaddelte Strecke', 'Distance à la rame ou à la pagaie'],
    'kayak',
    190,
    100_000,
    {
      healthKit: ['HKQuantityTypeIdentifierDistanceRowing', 'HKQuantityTypeIdentifierDistancePaddleSports']
    }
  ),
  createDistance(
    'skating-distance',
    ['Distance skated', 'Strecke auf Skates oder Schlittschuhen', 'Distance en patins'],
    'route',
    235,
    150_000,
    {
      healthKit: ['HKQuantityTypeIdentifierDistanceSkatingSports']
    }
  ),
  createDistance(
    'workout-distance',
    ['Workout distance', 'Trainingsstrecke', 'Distance d’entraînement'],
    'route',
    295,
    400_000
  ),
  createRow(
    'elevation-gain',
    ['Elevation gain', 'Höhenmeter', 'Dénivelé positif'],
    'mountain',
    95,
    'sum',
    ['length/m', 'length/ft', 'length/km'],
    {
      unit: elevation,
      plausible: [0, 5000],
      possible: [0, 50_000],
      codes: { healthConnect: ['ElevationGainedRecord'] }
    }
  ),
  createCount(
    'floors-climbed',
    ['Floors climbed', 'Gestiegene Stockwerke', 'Étages montés'],
    'chevrons-up',
    265,
    [150, 10_000],
    {
      healthKit: ['HKQuantityTypeIdentifierFlightsClimbed'],
      healthConnect: ['FloorsClimbedRecord']
    }
  ),
  createEnergy('active-energy', ['Active energy', 'Aktivitätsenergie', 'Énergie active'], 'flame', 15, 5000, {
    loinc: ['41981-2'],
    healthKit: ['HKQuantityTypeIdentifierActiveEnergyBurned'],
    healthConnect: ['ActiveCaloriesBurnedRecord']
  }),
  createEnergy(
    'resting-energy',
    ['Resting energy', 'Ruheenergie', 'Énergie au repos'],
    'flame-kindling',
    35,
    4000,
    {
      healthKit: ['HKQuantityTypeIdentifierBasalEnergyBurned']
    }
  ),
  createEnergy('total-energy', ['Energy burned', 'Energieverbrauch', 'Énergie dépensée'], 'zap', 50, 8000, {
    healthConnect: ['TotalCaloriesBurnedRecord']
  }),
  createEnergy(
    'workout-energy',
    ['Workout energy', 'Trainingsenergie', 'Énergie d’entraînement'],
    'flame',
    340,
    5000
  ),
  createTime('exercise-time', ['Exercise time', 'Trainingszeit', 'Temps d’exercice'], 'timer', 125, {
    healthKit: ['HKQuantityTypeIdentifierAppleExerciseTime']
  }),
  createTime('active-time', ['Active time', 'Aktive Zeit', 'Temps d’activité'], 'timer-reset', 105, {
    healthKit: ['HKQuantityTypeIdentifierAppleMoveTime']
  }),
  createTime('stand-time', ['Standing time', 'Zeit im Stehen', 'Temps debout'], 'person-standing', 85, {
    healthKit: ['HKQuantityTypeIdentifierAppleStandTime']
  }),
  createCount('stand-hours', ['Stand hours', 'Stehstunden', 'Heures debout'], 'clock-arrow-up', 75, [24, 25]),
  createCount(
    'wheelchair-pushes',
    ['Wheelchair pushes', 'Rollstuhlschübe', 'Poussées en fauteuil roulant'],
    'accessibility',
    240,
    [20_000, 400_000],
    {
      healthKit: ['HKQuantityTypeIdentifierPushCount'],
      healthConnect: ['WheelchairPushesRecord']
    }
  ),
  createCount(
    'swimming-strokes',
    ['Swimming strokes', 'Schwimmzüge', 'Mouvements de nage'],
    'waves',
    185,
    [20_000, 200_000],
    {
      healthKit: ['HKQuantityTypeIdentifierSwimmingStrokeCount']
    }
  ),
  createRow(
    'weight-lifted',
    ['Weight lifted', 'Bewegtes Gewicht', 'Charge soulevée'],
    'dumbbell',
    355,
    'level',
    ['mass/kg', 'mass/lb'],
    {
      unit: { shown: 'mass/kg', byRegion: { US: 'mass/lb' }, offered: ['mass/kg', 'mass/lb'] },
      plausible: [0, 300],
      possible: [0, 5000]
    }
  ),
  createRow(
    'vo2-max',
    ['VO₂ max', 'VO₂max', 'VO₂ max'],
    'trending-up',
    170,
    'level',
    ['gas-consumption/mlpkgmin'],
    {
      isDefault: true,
      plausible: [10, 80],
      possible: [2, 110],
      codes: { healthKit: ['HKQuantityTypeIdentifierVO2Max'], healthConnect: ['Vo2MaxRecord'] }
    }
  )
])
