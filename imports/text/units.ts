/** Units as files write them, to types of the service. Values are kept as measured. */

/** A type, and what a value is multiplied by where files and types write it differently. */
export interface Measure {
  readonly type: string
  readonly factor?: number
}

const measures: Readonly<Record<string, Measure>> = {
  'count/min': { type: 'frequency/bpm' },
  bpm: { type: 'frequency/bpm' },
  count: { type: 'count/generic' },
  steps: { type: 'count/steps' },
  '%': { type: 'ratio/percent' },
  kg: { type: 'mass/kg' },
  g: { type: 'mass/g' },
  mg: { type: 'mass/mg' },
  mcg: { type: 'mass/mg', factor: 0.001 },
  ug: { type: 'mass/mg', factor: 0.001 },
  µg: { type: 'mass/mg', factor: 0.001 },
  lb: { type: 'mass/lb' },
  lbs: { type: 'mass/lb' },
  '[lb_av]': { type: 'mass/lb' },
  oz: { type: 'mass/oz' },
  '[oz_av]': { type: 'mass/oz' },
  st: { type: 'mass/st' },
  '[stone_av]': { type: 'mass/st' },
  'kg/m2': { type: 'pressure/kg-m2' },
  m: { type: 'length/m' },
  km: { type: 'length/km' },
  cm: { type: 'length/cm' },
  mm: { type: 'length/mm' },
  mi: { type: 'length/mi' },
  ft: { type: 'length/ft' },
  '[ft_i]': { type: 'length/ft' },
  in: { type: 'length/in' },
  '[in_i]': { type: 'length/in' },
  yd: { type: 'length/yd' },
  kcal: { type: 'energy/kcal' },
  cal: { type: 'energy/cal' },
  kj: { type: 'energy/j', factor: 1000 },
  j: { type: 'energy/j' },
  degc: { type: 'temperature/c' },
  '°c': { type: 'temperature/c' },
  c: { type: 'temperature/c' },
  cel: { type: 'temperature/c' },
  degf: { type: 'temperature/f' },
  '°f': { type: 'temperature/f' },
  f: { type: 'temperature/f' },
  '[degf]': { type: 'temperature/f' },
  'mg/dl': { type: 'density/mg-dl' },
  'mmol/l': { type: 'density/mmol-l' },
  'g/dl': { type: 'density/g-dl' },
  mmhg: { type: 'pressure/mmhg' },
  'mm[hg]': { type: 'pressure/mmhg' },
  dbaspl: { type: 'pressure/db' },
  ms: { type: 'time/ms' },
  s: { type: 'time/s' },
  sec: { type: 'time/s' },
  min: { type: 'time/min' },
  h: { type: 'time/h' },
  hr: { type: 'time/h' },
  d: { type: 'time/d' },
  ml: { type: 'volume/ml' },
  l: { type: 'volume/l' },
  'ml/min·kg': { type: 'gas-consumption/mlpkgmin' },
  'ml/kg*min': { type: 'gas-consumption/mlpkgmin' },
  'm/s': { type: 'speed/m-s' },
  'km/h': { type: 'speed/km-h' },
  'km/hr': { type: 'speed/km-h' },
  'mi/hr': { type: 'speed/mph' },
  'l/min': { type: 'speed/lpm' },
  w: { type: 'power/w' },
  v: { type: 'electromotive-force/v' },
  iu: { type: 'volume/iu' },
  hz: { type: 'frequency/hz' },
  '/min': { type: 'frequency/bpm' },
  '{beats}/min': { type: 'frequency/bpm' },
  us: { type: 'electrical-conductivity/us' },
  mcs: { type: 'electrical-conductivity/us' },
  deg: { type: 'angle/deg' }
}

/** The type for values in a unit; `undefined` for units that are not known: nothing is guessed. */
export function measureOf(unit: string): Measure | undefined {
  const plain = unit.trim().toLowerCase().replaceAll('<180.1558800000541>', '').replaceAll(/\s/g, '')
  return Object.hasOwn(measures, plain) ? measures[plain] : undefined
}

/** Reads a number as files write it; `undefined` for anything else. */
export function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const plain = text.trim()
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(plain)) return undefined
  const value = Number(plain)
  return Number.isFinite(value) ? value : undefined
}

/** A value in the terms of its type, without the noise that multiplying adds. */
export function scaled(value: number, factor = 1): number {
  return factor === 1 ? value : Number((value * factor).toPrecision(12))
}
