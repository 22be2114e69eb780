/** Units of numbers: symbols and names, display units, and exact conversions. */
import { getLanguage, getLocale } from '../../language.js'
import { displayUnits } from './display-units.js'

export interface Unit {
  /** `kg`, `°C`, `mmol/L`. */
  readonly symbol: string
  /** Name in the user's language if `Intl` knows it, else the symbol. */
  readonly name: string
}

/** A formatted number and its unit. `unit` is empty for numbers without one. */
export interface Quantity {
  readonly value: string
  readonly unit: string
}

/** Returns the unit of a numerical type or of a series of it; undefined for other types. */
export function getUnit(type: string): Unit | undefined {
  const [unitClass, format] = splitType(type)
  if (unitClass === 'money') return getCurrency(format)
  const symbol = getOwn(getOwn(symbols, unitClass), format)
  if (symbol === undefined) return undefined
  return { symbol, name: getUnitName(format, unitClass) ?? symbol }
}

/**
 * Converts a number between types of one class. Returns undefined if they do not measure the same. Converts between molar and mass
 * concentrations only if `isGlucose`.
 */
export function convertUnit(value: number, from: string, to: string, isGlucose = false): number | undefined {
  if (from === to) return value
  const [unitClass, format] = splitType(from)
  const [otherClass, other] = splitType(to)
  if (unitClass !== otherClass) return undefined
  if (unitClass === 'temperature' && /^[cfk]$/.test(format))
    return fromCelsius(toCelsius(value, format), other)
  if (unitClass === 'density' && isGlucose) {
    if (format === 'mmol-l' && other === 'mg-dl') return value * glucoseFactor
    if (format === 'mg-dl' && other === 'mmol-l') return value / glucoseFactor
  }
  const [a, b] = [getOwn(getOwn(factors, unitClass), format), getOwn(getOwn(factors, unitClass), other)]
  return a === undefined || b === undefined ? undefined : round((value * a) / b)
}

/** Returns the type in which the user enters and sees numbers of this type. */
export function getDisplayType(type: string, { isGlucose = false } = {}): string {
  const { mass, temperature, distance, height, glucose } = displayUnits.value
  const [unitClass, format] = splitType(type)
  if (unitClass === 'mass' && ['kg', 'lb', 'st'].includes(format))
    return mass === 'kg' ? 'mass/kg' : 'mass/lb'
  if (unitClass === 'temperature' && /^[cf]$/.test(format)) return `temperature/${temperature}`
  if (unitClass === 'length' && ['km', 'mi'].includes(format)) return `length/${distance}`
  if (unitClass === 'length' && ['cm', 'in', 'ft'].includes(format))
    return height === 'cm' ? 'length/cm' : 'length/in'
  if (unitClass === 'speed' && ['km-h', 'mph'].includes(format))
    return distance === 'km' ? 'speed/km-h' : 'speed/mph'
  if (unitClass === 'density' && isGlucose && ['mmol-l', 'mg-dl'].includes(format))
    return `density/${glucose}`
  return type
}

/** Returns a function that converts numbers of a type to the display unit; undefined if that is the same. */
export function getConversion(type: string): ((value: number) => number) | undefined {
  const displayType = getDisplayType(type)
  const pointType = toPointType(type)
  return displayType === pointType ? undefined : value => convertUnit(value, pointType, displayType) ?? value
}

/** Formats a number of a type in the user's unit: `{value: '61.9', unit: 'kg'}`. */
export function formatQuantity(type: string, value: number, { isGlucose = false } = {}): Quantity {
  const displayType = getDisplayType(type, { isGlucose })
  const number = convertUnit(value, type, displayType, isGlucose)
  if (number === undefined) return { value: formatNumber(value), unit: getUnit(type)?.symbol ?? '' }
  const isAsStored = displayType === toPointType(type)
  if (displayType === 'mass/lb' && displayUnits.value.mass === 'st')
    return formatTwoUnits(number, 14, ['st', 'lb'])
  if (displayType === 'length/in') return formatTwoUnits(number, 12, ['ft', 'in'])
  const [unitClass, format] = splitType(displayType)
  if (unitClass === 'money') return { value: formatNumber(number, 2), unit: format.toUpperCase() }
  if (displayType === 'ratio/percent') return { value: formatNumber(number), unit: '%' }
  return {
    value: formatNumber(number, isAsStored ? undefined : getDecimals(displayType)),
    unit: getUnit(displayType)?.symbol ?? ''
  }
}

/** Formats a number with at most `decimals` decimals, 6 by default; in scientific notation if it is very large or small. */
export function formatNumber(value: number, decimals?: number): string {
  const size = Math.abs(value)
  if (size >= 1e15 || (size > 0 && size < 1e-6))
    return new Intl.NumberFormat(getLocale(), { notation: 'scientific', maximumFractionDigits: 3 }).format(
      value
    )
  return new Intl.NumberFormat(getLocale(), { maximumFractionDigits: decimals ?? 6 }).format(value)
}

/** Returns the type of the points of a series; other types unchanged. */
export function toPointType(type: string): string {
  return type.replace(/^series:/, '')
}

function splitType(type: string): [string, string] {
  const [unitClass = '', format = ''] = toPointType(type).split('/')
  return [unitClass, format]
}

/** Returns an own property by an untrusted name, ignoring inherited ones such as `constructor`. */
function getOwn<T>(table: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return table && Object.hasOwn(table, name) ? table[name] : undefined
}

/** Formats a number in two units: 10 stone 7 pounds; 5 feet 10 inches. */
function formatTwoUnits(value: number, size: number, [large, small]: readonly [string, string]): Quantity {
  const total = Math.round(Math.abs(value) * 10) / 10
  const whole = Math.floor(total / size)
  const sign = value < 0 ? '−' : ''
  return {
    value: `${sign}${formatNumber(whole)} ${large} ${formatNumber(total - whole * size, 1)}`,
    unit: small
  }
}

/** Returns the number of decimals of a converted number, about as precise as such measurements are. */
function getDecimals(type: string): number {
  return ['density/mg-dl', 'length/cm'].includes(type)
    ? 0
    : type === 'length/km' || type === 'length/mi'
      ? 2
      : 1
}

/** Rounds away binary rounding errors. */
function round(value: number): number {
  return Number(value.toPrecision(14))
}

function toCelsius(value: number, unit: string): number {
  return unit === 'f' ? ((value - 32) * 5) / 9 : unit === 'k' ? value - 273.15 : value
}

function fromCelsius(value: number, unit: string): number {
  return round(unit === 'f' ? (value * 9) / 5 + 32 : unit === 'k' ? value + 273.15 : value)
}

function getCurrency(format: string): Unit {
  const code = format.toUpperCase()
  try {
    return {
      symbol: code,
      name: new Intl.DisplayNames([getLanguage()], { type: 'currency' }).of(code) ?? code
    }
  } catch {
    return { symbol: code, name: code }
  }
}

/** Returns the name of a unit that `Intl` knows, in its plural form. */
function getUnitName(format: string, unitClass: string): string | undefined {
  const unit =
    unitClass === 'temperature' && format === 'c'
      ? 'celsius'
      : getOwn(intlUnits, unitClass === 'time' && format === 'd' ? 'day' : format)
  if (unit === undefined) return undefined
  return new Intl.NumberFormat(getLanguage(), { style: 'unit', unit, unitDisplay: 'long' })
    .formatToParts(2)
    .filter(({ type }) => type === 'unit')
    .map(({ value }) => value)
    .join(' ')
    .trim()
}

/** Milligrams per decilitre of 1 mmol/L glucose (180.156 g/mol). */
const glucoseFactor = 18.0156

/** `Intl` unit names by format. */
const intlUnits: Readonly<Record<string, string>> = {
  kg: 'kilogram',
  g: 'gram',
  lb: 'pound',
  oz: 'ounce',
  st: 'stone',
  cm: 'centimeter',
  m: 'meter',
  mm: 'millimeter',
  km: 'kilometer',
  ft: 'foot',
  in: 'inch',
  mi: 'mile',
  yd: 'yard',
  f: 'fahrenheit',
  l: 'liter',
  ml: 'milliliter',
  deg: 'degree',
  'km-h': 'kilometer-per-hour',
  mph: 'mile-per-hour',
  'm-s': 'meter-per-second',
  day: 'day',
  h: 'hour',
  min: 'minute',
  s: 'second',
  ms: 'millisecond',
  y: 'year'
}

/** Exact conversion factors to one unit of each class. */
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
  pressure: { pa: 1, kpa: 1000, mmhg: 133.322387415, cmhg: 1333.22387415, bar: 100_000, at: 98_066.5 },
  time: { s: 1, ms: 1e-3, min: 60, h: 3600, d: 86_400 },
  volume: { l: 1, ml: 1e-3, m3: 1000, cm3: 1e-3 },
  density: { 'kg-m3': 1, 'g-dl': 10, 'mg-dl': 0.01 }
}

/** Unit symbols by class and format. */
const symbols: Readonly<Record<string, Readonly<Record<string, string>>>> = Object.fromEntries(
  Object.entries({
    'absorbed-dose-equivalent': 'sv=Sv',
    'absorbed-dose-rate': 'gy-s=Gy/s',
    angle: 'deg=° grad=gon rad=rad',
    'angular-acceleration': 'rad-s2=rad/s²',
    'angular-speed': 'rad-s=rad/s',
    area: 'ac=ac ft2=ft² ha=ha in2=in² km2=km² m2=m² mm2=mm² yd2=yd² mi2=mi²',
    'catalytic-activity': 'kat=kat',
    count: 'steps= generic=',
    'data-quantity': 'b=B bits=bit gb=GB gbits=Gbit kb=kB kbits=kbit mb=MB mbits=Mbit tb=TB',
    density: 'g-dl=g/dL kg-m3=kg/m³ mmol-l=mmol/L mg-dl=mg/dL',
    'dynamic-viscosity': 'pa-s=Pa·s',
    'electric-charge-line-density': 'c-m=C/m',
    'electrical-conductivity': 's=S us=µS',
    'electromotive-force': 'v=V',
    energy: 'btu=BTU cal=cal ev=eV erg=erg ftlb=ft·lbf j=J kcal=kcal ws=W·s kws=kW·s kwh=kWh nm=N·m wh=Wh',
    force: 'dyn=dyn n=N pdl=pdl',
    frequency:
      'bpm=bpm brpm=/min ghz=GHz hz=Hz khz=kHz megahz=MHz millihz=mHz nhz=nHz rpm=rpm thz=THz uhz=µHz',
    'gas-consumption': 'mlpkgmin=mL/(kg·min)',
    length:
      'cm=cm m=m mm=mm km=km a=Å au=au ch=ch lea=lea ft=ft in=in ly=ly mil=mil mi=mi fur=fur nmi=nmi p=p pica=pica ftm=ftm cb=cb um=µm yd=yd',
    'linear-acceleration': 'm-s2=m/s²',
    'luminous-intensity': 'cd=cd',
    mass: 'kg=kg g=g mg=mg gr=gr dr=dr l-t=long_ton lb=lb t=t oz=oz s-t=short_ton st=st',
    mol: 'mol=mol lb-mol=lb-mol',
    power: 'btu-min=BTU/min ftlb-s=ft·lbf/s hp=hp kw=kW w=W',
    pressure: 'at=at bar=bar mmhg=mmHg cmhg=cmHg inhg=inHg kg-m2=kg/m² pa=Pa kpa=kPa psf=psf psi=psi db=dB',
    speed: 'ft-m=ft/min ft-s=ft/s km-h=km/h kt=kn m-min=m/min m-s=m/s mph=mph lpm=L/min',
    temperature: 'c=°C k=K f=°F',
    time: 'd=d h=h min=min ms=ms s=s y=y',
    volume:
      'l=L m3=m³ c=cup cm3=cm³ floz=fl_oz ft3=ft³ galgb=gal_(UK) galus=gal_(US) in3=in³ yd3=yd³ ml=mL pt=pt qt=qt bbloil=bbl tbs=tbsp tsp=tsp iu=IU',
    ratio: 'percent=%'
  }).map(([unitClass, list]) => [
    unitClass,
    Object.fromEntries(list.split(' ').map(each => each.replaceAll('_', ' ').split('=') as [string, string]))
  ])
)
