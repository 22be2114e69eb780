/** Measures of how people move: speed, power, cadence and gait, in the category of activity. */
import { createRow, inCategory, type NameList, type Row } from '../rows/create-row.js'
import { lengths, speed } from '../rows/units.js'

const speeds = ['speed/m-s', 'speed/km-h', 'speed/mph', 'speed/ft-s', 'speed/m-min']
const smallLength = { shown: 'length/cm', byRegion: { US: 'length/in' }, offered: ['length/cm', 'length/in'] }

const metresPerSecond = { shown: 'speed/m-s', offered: ['speed/m-s', 'speed/km-h'] }

/** Builds a speed (m/s), with the largest plausible one. */
function createSpeed(
  id: string,
  names: NameList,
  icon: string,
  hue: number,
  largest: number,
  codes?: Row['codes']
): Row {
  return createRow(id, names, icon, hue, 'level', speeds, {
    unit: speed,
    plausible: [0, largest],
    possible: [0, 5 * largest],
    ...(codes && { codes })
  })
}

/** Builds a mechanical power (W). */
function createPower(id: string, names: NameList, hue: number, codes?: Row['codes']): Row {
  return createRow(id, names, 'zap', hue, 'level', ['power/w', 'power/kw'], {
    unit: { shown: 'power/w', offered: ['power/w'] },
    plausible: [0, 1500],
    possible: [0, 4000],
    ...(codes && { codes })
  })
}

/** Builds a share of the gait (percent). */
function createShare(id: string, names: NameList, icon: string, hue: number, codes: Row['codes']): Row {
  return createRow(id, names, icon, hue, 'level', ['ratio/percent'], {
    plausible: [0, 100],
    possible: [0, 100],
    ...(codes && { codes })
  })
}

/** Builds a length of the gait (cm). */
function createLength(
  id: string,
  names: NameList,
  icon: string,
  hue: number,
  plausible: readonly [number, number],
  codes: Row['codes']
): Row {
  return createRow(id, names, icon, hue, 'level', lengths, {
    unit: smallLength,
    plausible,
    possible: [0, 400],
    ...(codes && { codes })
  })
}

export const motion = inCategory('activity', [
  createSpeed('speed', ['Speed', 'Geschwindigkeit', 'Vitesse'], 'gauge', 195, 70, {
    healthKit: ['CrossCountrySkiingSpeed', 'PaddleSportsSpeed', 'RowingSpeed'].map(
      kind => `HKQuantityTypeIdentifier${kind}`
    ),
    healthConnect: ['SpeedRecord']
  }),
  createSpeed(
    'walking-speed',
    ['Walking speed', 'Gehgeschwindigkeit', 'Vitesse de marche'],
    'footprints',
    165,
    3.5,
    {
      healthKit: ['HKQuantityTypeIdentifierWalkingSpeed']
    }
  ),
  createSpeed(
    'running-speed',
    ['Running speed', 'Laufgeschwindigkeit', 'Vitesse de course'],
    'gauge',
    25,
    12,
    {
      healthKit: ['HKQuantityTypeIdentifierRunningSpeed']
    }
  ),
  createSpeed(
    'cycling-speed',
    ['Cycling speed', 'Geschwindigkeit auf dem Rad', 'Vitesse à vélo'],
    'gauge',
    240,
    30,
    {
      healthKit: ['HKQuantityTypeIdentifierCyclingSpeed']
    }
  ),
  {
    ...createSpeed(
      'stair-ascent-speed',
      ['Stair climbing speed', 'Tempo treppauf', 'Vitesse de montée d’escalier'],
      'trending-up',
      265,
      2,
      {
        healthKit: ['HKQuantityTypeIdentifierStairAscentSpeed']
      }
    ),
    unit: metresPerSecond
  },
  {
    ...createSpeed(
      'stair-descent-speed',
      ['Stair descent speed', 'Tempo treppab', 'Vitesse de descente d’escalier'],
      'trending-down',
      265,
      2,
      {
        healthKit: ['HKQuantityTypeIdentifierStairDescentSpeed']
      }
    ),
    unit: metresPerSecond
  },
  createPower('power', ['Power', 'Leistung', 'Puissance'], 280, { healthConnect: ['PowerRecord'] }),
  createPower('running-power', ['Running power', 'Laufleistung', 'Puissance de course'], 20, {
    healthKit: ['HKQuantityTypeIdentifierRunningPower']
  }),
  createPower('cycling-power', ['Cycling power', 'Leistung auf dem Rad', 'Puissance à vélo'], 200, {
    healthKit: ['HKQuantityTypeIdentifierCyclingPower']
  }),
  createPower(
    'threshold-power',
    ['Functional threshold power', 'Schwellenleistung (FTP)', 'Puissance au seuil fonctionnel'],
    320,
    {
      healthKit: ['HKQuantityTypeIdentifierCyclingFunctionalThresholdPower']
    }
  ),
  createRow(
    'cadence',
    ['Cadence', 'Tritt- und Schrittfrequenz', 'Cadence'],
    'refresh-cw',
    220,
    'level',
    ['frequency/rpm'],
    {
      plausible: [0, 220],
      possible: [0, 400],
      codes: {
        healthKit: ['HKQuantityTypeIdentifierCyclingCadence'],
        healthConnect: ['CyclingPedalingCadenceRecord']
      }
    }
  ),
  createLength('step-length', ['Step length', 'Schrittlänge', 'Longueur de pas'], 'ruler', 120, [20, 120], {
    healthKit: ['HKQuantityTypeIdentifierWalkingStepLength']
  }),
  createLength(
    'running-stride-length',
    ['Running stride length', 'Schrittlänge beim Laufen', 'Longueur de foulée'],
    'ruler',
    40,
    [40, 260],
    {
      healthKit: ['HKQuantityTypeIdentifierRunningStrideLength']
    }
  ),
  createLength(
    'vertical-oscillation',
    ['Vertical oscillation', 'Vertikale Bewegung', 'Oscillation verticale'],
    'arrow-up-down',
    40,
    [2, 20],
    {
      healthKit: ['HKQuantityTypeIdentifierRunningVerticalOscillation']
    }
  ),
  createRow(
    'ground-contact-time',
    ['Ground contact time', 'Bodenkontaktzeit', 'Temps de contact au sol'],
    'timer',
    40,
    'level',
    ['time/ms', 'time/s'],
    {
      unit: { shown: 'time/ms', offered: ['time/ms'] },
      plausible: [100, 500],
      possible: [0, 10_000],
      codes: { healthKit: ['HKQuantityTypeIdentifierRunningGroundContactTime'] }
    }
  ),
  createShare(
    'double-support',
    ['Double support time', 'Doppelstandphase', 'Temps de double appui'],
    'footprints',
    320,
    {
      healthKit: ['HKQuantityTypeIdentifierWalkingDoubleSupportPercentage']
    }
  ),
  createShare(
    'walking-asymmetry',
    ['Walking asymmetry', 'Gangasymmetrie', 'Asymétrie de la marche'],
    'footprints',
    290,
    {
      healthKit: ['HKQuantityTypeIdentifierWalkingAsymmetryPercentage']
    }
  ),
  createShare(
    'walking-steadiness',
    ['Walking steadiness', 'Gangstabilität', 'Stabilité à la marche'],
    'footprints',
    200,
    {
      healthKit: ['HKQuantityTypeIdentifierAppleWalkingSteadiness']
    }
  ),
  createRow(
    'six-minute-walk',
    ['Six-minute walk distance', '6-Minuten-Gehstrecke', 'Distance au test de marche de six minutes'],
    'footprints',
    95,
    'level',
    ['length/m', 'length/ft', 'length/yd', 'length/km', 'length/mi'],
    {
      unit: { shown: 'length/m', byRegion: { US: 'length/ft' }, offered: ['length/m', 'length/ft'] },
      plausible: [50, 1000],
      possible: [0, 2500],
      codes: { healthKit: ['HKQuantityTypeIdentifierSixMinuteWalkTestDistance'] }
    }
  ),
  createRow('falls', ['Falls', 'Stürze', 'Chutes'], 'triangle-alert', 15, 'sum', ['count/generic'], {
    plausible: [0, 10],
    possible: [0, 400],
    codes: { healthKit: ['HKQuantityTypeIdentifierNumberOfTimesFallen'] }
  }),
  createRow(
    'diving-depth',
    ['Diving depth', 'Tauchtiefe', 'Profondeur de plongée'],
    'waves-arrow-down',
    215,
    'level',
    ['length/m', 'length/ft'],
    {
      unit: { shown: 'length/m', byRegion: { US: 'length/ft' }, offered: ['length/m', 'length/ft'] },
      plausible: [0, 60],
      possible: [0, 350],
      codes: { healthKit: ['HKQuantityTypeIdentifierUnderwaterDepth'] }
    }
  )
])
