/** Conversion between the units of numerical event types. Has no imports: pages use it as well as the service. */

/** Grams per mole of glucose. */
const glucoseMolarMass = 180.156

/**
 * Converts a number between types of one class; types of series count as those of their points. Returns `undefined` if the types do
 * not measure the same. Converts between masses and amounts of a substance only with its molar mass (g/mol); `true` means glucose.
 */
export function convertUnit(
  value: number,
  from: string,
  to: string,
  molarMass: boolean | number = false
): number | undefined {
  if (from === to) return value
  const [unitClass, format] = splitType(from)
  const [otherClass, other] = splitType(to)
  if (unitClass !== otherClass) return undefined
  if (format === other) return value
  if (unitClass === 'temperature') return convertTemperature(value, format, other)
  const [a, b] = [format, other].map(each => getFactor(unitClass, each, molarMass))
  return a === undefined || b === undefined ? undefined : round((value * a) / b)
}

/** Returns the class and the format of a type, or of the points of a series. Missing parts are empty. */
export function splitType(type: string): [unitClass: string, format: string] {
  const [unitClass = '', format = ''] = type.replace(/^series:/, '').split('/')
  return [unitClass, format]
}

/**
 * Returns an own property by an untrusted name, ignoring inherited ones such as `constructor`; `undefined` if
 * there is none.
 */
export function getOwn<T>(table: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return table && Object.hasOwn(table, name) ? table[name] : undefined
}

function getFactor(unitClass: string, format: string, molarMass: boolean | number): number | undefined {
  if (unitClass !== 'density' || format !== 'mmol-l') return getOwn(getOwn(factors, unitClass), format)
  // Kilograms per cubic metre, which are grams per litre.
  return molarMass === false ? undefined : (molarMass === true ? glucoseMolarMass : molarMass) / 1000
}

function convertTemperature(value: number, from: string, to: string): number | undefined {
  const [a, b] = [getOwn(temperatures, from), getOwn(temperatures, to)]
  return a && b && round(((value - a.zero) / a.size) * b.size + b.zero)
}

/** Rounds away binary rounding errors. */
function round(value: number): number {
  return Number(value.toPrecision(14))
}

/** Temperature scales: the reading at 0 °C, and the number of degrees in one degree Celsius. */
const temperatures: Readonly<Record<string, { readonly zero: number; readonly size: number }>> = {
  c: { zero: 0, size: 1 },
  k: { zero: 273.15, size: 1 },
  f: { zero: 32, size: 1.8 }
}

/**
 * Exact conversion factors from units to one common unit of their class. Volumes of cups, pints and so on are those of
 * the United States.
 */
const factors: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  mass: {
    kg: 1,
    g: 1e-3,
    mg: 1e-6,
    lb: 0.45359237,
    oz: 0.028349523125,
    st: 6.35029318,
    t: 1000,
    gr: 6.479891e-5
  },
  length: {
    m: 1,
    cm: 0.01,
    mm: 1e-3,
    km: 1000,
    in: 0.0254,
    ft: 0.3048,
    yd: 0.9144,
    mi: 1609.344,
    nmi: 1852,
    um: 1e-6
  },
  speed: { 'm-s': 1, 'km-h': 1 / 3.6, mph: 0.44704, kt: 1852 / 3600, 'm-min': 1 / 60, 'ft-s': 0.3048 },
  energy: { j: 1, cal: 4.184, kcal: 4184, kws: 1000, kwh: 3_600_000, wh: 3600 },
  power: { w: 1, kw: 1000 },
  pressure: {
    pa: 1,
    kpa: 1000,
    mmhg: 133.322387415,
    cmhg: 1333.22387415,
    inhg: 3386.388640341,
    bar: 100_000,
    at: 98_066.5
  },
  time: { s: 1, ms: 1e-3, min: 60, h: 3600, d: 86_400 },
  volume: {
    l: 1,
    ml: 1e-3,
    m3: 1000,
    cm3: 1e-3,
    floz: 0.0295735295625,
    c: 0.2365882365,
    pt: 0.473176473,
    qt: 0.946352946
  },
  density: { 'kg-m3': 1, 'g-dl': 10, 'mg-dl': 0.01 }
}
