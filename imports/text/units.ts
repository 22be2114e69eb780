/** Units as files write them, to types of the service. Values are kept as measured. */

/** A type, and what a value is multiplied by where files and types write it differently. */
export interface Measure {
  readonly type: string
  readonly factor?: number
}

/** Characters of the longest unit. */
const longestUnit = 30

const measures: Readonly<Record<string, Measure>> = {
  'count/min': { type: 'frequency/bpm' },
  '1/min': { type: 'frequency/bpm' },
  bpm: { type: 'frequency/bpm' },
  brpm: { type: 'frequency/brpm' },
  rpm: { type: 'frequency/rpm' },
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
  fl_oz_us: { type: 'volume/floz' },
  '[foz_us]': { type: 'volume/floz' },
  cup_us: { type: 'volume/c' },
  pt_us: { type: 'volume/pt' },
  'ml/min·kg': { type: 'gas-consumption/mlpkgmin' },
  'ml/kg*min': { type: 'gas-consumption/mlpkgmin' },
  'm/s': { type: 'speed/m-s' },
  'ft/s': { type: 'speed/ft-s' },
  'km/h': { type: 'speed/km-h' },
  'km/hr': { type: 'speed/km-h' },
  'mi/hr': { type: 'speed/mph' },
  mph: { type: 'speed/mph' },
  kpa: { type: 'pressure/kpa' },
  pa: { type: 'pressure/pa' },
  inhg: { type: 'pressure/inhg' },
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

/** Units whose capitals tell them from others: siemens are no seconds. */
const capitals: Readonly<Record<string, Measure | undefined>> = {
  Cal: { type: 'energy/kcal' },
  '[Cal]': { type: 'energy/kcal' },
  S: undefined,
  mS: undefined,
  D: undefined
}
/** The mass of a mole of glucose in Apple's units, whose last digits differ between versions. */
const glucose = /<180\.15588\d*>/

/** Words for units, in English, German and French, without accents, spaces and what makes them plural. */
const words: Readonly<Record<string, string>> = {
  kilogram: 'kg',
  kilogramm: 'kg',
  kilogramme: 'kg',
  kilo: 'kg',
  gram: 'g',
  gramm: 'g',
  gramme: 'g',
  milligram: 'mg',
  milligramm: 'mg',
  milligramme: 'mg',
  pound: 'lb',
  ounce: 'oz',
  unze: 'oz',
  unzen: 'oz',
  once: 'oz',
  stone: 'st',
  meter: 'm',
  metre: 'm',
  kilometer: 'km',
  kilometre: 'km',
  centimeter: 'cm',
  centimetre: 'cm',
  zentimeter: 'cm',
  millimeter: 'mm',
  millimetre: 'mm',
  mile: 'mi',
  meile: 'mi',
  meilen: 'mi',
  feet: 'ft',
  foot: 'ft',
  inch: 'in',
  inche: 'in',
  zoll: 'in',
  pouce: 'in',
  yard: 'yd',
  millisecond: 'ms',
  milliseconde: 'ms',
  millisekunde: 'ms',
  millisekunden: 'ms',
  msec: 'ms',
  second: 's',
  seconde: 's',
  sekunde: 's',
  sekunden: 's',
  sek: 's',
  minute: 'min',
  minuten: 'min',
  hour: 'h',
  heure: 'h',
  stunde: 'h',
  stunden: 'h',
  std: 'h',
  day: 'd',
  tag: 'd',
  tage: 'd',
  jour: 'd',
  celsius: 'degc',
  degreecelsius: 'degc',
  degreescelsius: 'degc',
  gradcelsius: 'degc',
  degrescelsius: 'degc',
  fahrenheit: 'degf',
  degreesfahrenheit: 'degf',
  kilocalorie: 'kcal',
  kilokalorie: 'kcal',
  kilokalorien: 'kcal',
  kilojoule: 'kj',
  joule: 'j',
  percent: '%',
  prozent: '%',
  pourcent: '%',
  pct: '%',
  watt: 'w',
  liter: 'l',
  litre: 'l',
  milliliter: 'ml',
  millilitre: 'ml',
  schritt: 'steps',
  schritte: 'steps',
  step: 'steps',
  'beats/min': 'bpm',
  'beat/min': 'bpm',
  beatsperminute: 'bpm',
  'schlage/min': 'bpm',
  schlageprominute: 'bpm',
  'battements/min': 'bpm',
  battementsparminute: 'bpm',
  breathsperminute: 'brpm',
  'breaths/min': 'brpm',
  'br/min': 'brpm',
  atemzugeprominute: 'brpm',
  'atemzuge/min': 'brpm',
  kmh: 'km/h',
  kph: 'km/h',
  'mi/h': 'mph',
  'ml/kg/min': 'ml/kg*min',
  'ml/min/kg': 'ml/kg*min',
  'ml/(kg·min)': 'ml/kg*min',
  'ml/(kg*min)': 'ml/kg*min',
  mgdl: 'mg/dl',
  mmoll: 'mmol/l'
}

/** The type for values in a unit; `undefined` for units that are not known: nothing is guessed. */
export function measureOf(unit: string): Measure | undefined {
  const exact = unit.trim()
  if (Object.hasOwn(capitals, exact)) return capitals[exact]
  const plain = exact.toLowerCase().replace(glucose, '').replaceAll(/\s/g, '')
  if (Object.hasOwn(measures, plain)) return measures[plain]
  if (plain.length > longestUnit) return undefined
  const word = plain
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll('²', '2')
    .replaceAll('μ', 'µ')
  for (const each of [word, word.replace(/s$/, '')]) {
    if (Object.hasOwn(words, each)) return measures[words[each]!]
    if (Object.hasOwn(measures, each)) return measures[each]
  }
  return undefined
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
