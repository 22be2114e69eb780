/** Maps units to event types. Values keep the unit in which they were measured. */

/** A type, and the factor that converts a value in the unit to it. */
export interface UnitMeasure {
  readonly type: string
  readonly factor?: number
}

/** Maximum length of a unit, in characters. */
const maxUnitLength = 30

const measuresByUnit: Readonly<Record<string, UnitMeasure>> = {
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

/** Units that differ from other units only by capitals: siemens (S) are not seconds (s). */
const caseSensitiveUnits: Readonly<Record<string, UnitMeasure | undefined>> = {
  Cal: { type: 'energy/kcal' },
  '[Cal]': { type: 'energy/kcal' },
  S: undefined,
  mS: undefined,
  D: undefined
}
/** Molar mass of glucose in Apple's units, whose last digits differ between versions. */
const glucosePattern = /<180\.15588\d*>/

/** Names of units in English, German and French, without accents, spaces and plural endings. */
const unitNames: Readonly<Record<string, string>> = {
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

/** Returns the type of values in a unit; `undefined` for unknown units, which are never guessed. */
export function findMeasure(unit: string): UnitMeasure | undefined {
  const exact = unit.trim()
  if (Object.hasOwn(caseSensitiveUnits, exact)) return caseSensitiveUnits[exact]
  const plain = exact.toLowerCase().replace(glucosePattern, '').replaceAll(/\s/g, '')
  if (Object.hasOwn(measuresByUnit, plain)) return measuresByUnit[plain]
  if (plain.length > maxUnitLength) return undefined
  const word = plain
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll('²', '2')
    .replaceAll('μ', 'µ')
  for (const each of [word, word.replace(/s$/, '')]) {
    if (Object.hasOwn(unitNames, each)) return measuresByUnit[unitNames[each]!]
    if (Object.hasOwn(measuresByUnit, each)) return measuresByUnit[each]
  }
  return undefined
}

/** Parses a number; returns `undefined` for anything else. */
export function parseNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const plain = text.trim()
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(plain)) return undefined
  const value = Number(plain)
  return Number.isFinite(value) ? value : undefined
}

/** Seconds per unit of duration types. */
export const secondsByType: Readonly<Record<string, number>> = {
  'time/ms': 0.001,
  'time/s': 1,
  'time/min': 60,
  'time/h': 3600,
  'time/d': 86_400
}

/** Multiplies a value by a factor, without floating-point noise. */
export function scaleValue(value: number, factor = 1): number {
  return factor === 1 ? value : Number((value * factor).toPrecision(12))
}
