/** Units that several measures share. */
import type { UnitChoice } from '../measure.js'

/** Regions where people weigh themselves in pounds and measure themselves in inches. */
const american = ['US', 'LR', 'PR']
const withMiles = [...american, 'GB']
const withFahrenheit = [...american, 'BS', 'BZ', 'KY', 'PW']
/** Regions whose laboratories report glucose and blood lipids by mass. */
const withMilligrams = [...american, 'DE', 'FR', 'IT', 'ES', 'AT', 'PL', 'JP', 'BE']

/** Units of measures: the usual one, those offered, and the one shown instead in some regions. */
export const bodyMass = buildUnits('mass/kg', 'mass/kg mass/lb mass/st', 'mass/lb', american)
export const smallMass = buildUnits('mass/g', 'mass/g mass/oz')
export const height = buildUnits('length/cm', 'length/cm length/in', 'length/in', american)
export const distance = buildUnits('length/km', 'length/km length/mi length/m', 'length/mi', withMiles)
export const elevation = buildUnits('length/m', 'length/m length/ft', 'length/ft', american)
export const speed = buildUnits('speed/km-h', 'speed/km-h speed/mph speed/m-s', 'speed/mph', withMiles)
export const temperature = buildUnits(
  'temperature/c',
  'temperature/c temperature/f',
  'temperature/f',
  withFahrenheit
)
export const duration = buildUnits('time/min', 'time/min time/h')
export const longDuration = buildUnits('time/h', 'time/h time/min')
export const drink = buildUnits('volume/ml', 'volume/ml volume/l volume/floz', 'volume/floz', american)
export const bloodConcentration = buildUnits(
  'density/mmol-l',
  'density/mmol-l density/mg-dl',
  'density/mg-dl',
  withMilligrams
)

/** Types of durations, first the type in which durations are given. */
export const minutes: readonly string[] = ['time/min', 'time/h', 'time/s']
export const hours: readonly string[] = ['time/h', 'time/min', 'time/s']
export const masses: readonly string[] = ['mass/kg', 'mass/lb', 'mass/st', 'mass/g']
export const lengths: readonly string[] = ['length/cm', 'length/m', 'length/in', 'length/ft', 'length/mm']
export const distances: readonly string[] = [
  'length/m',
  'length/km',
  'length/mi',
  'length/yd',
  'length/ft',
  'length/cm'
]
export const temperatures: readonly string[] = ['temperature/c', 'temperature/f', 'temperature/k']
export const energies: readonly string[] = ['energy/kcal', 'energy/j', 'energy/cal']

/** Builds the units of a measure: the default, those offered, and the default of some regions. */
function buildUnits(
  shown: string,
  offered: string,
  regional?: string,
  regions: readonly string[] = []
): UnitChoice {
  return {
    shown,
    ...(regional !== undefined && { byRegion: Object.fromEntries(regions.map(each => [each, regional])) }),
    offered: offered.split(' ')
  }
}
