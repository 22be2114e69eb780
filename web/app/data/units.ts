/** Units of numbers: symbols and names, and display units. */
import { convertUnit, getOwn, splitType } from '../../../schemas/units.js'
import { getLanguage, getLocale } from '../../language.js'
import { displayUnits } from './display-units.js'

interface Unit {
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
 * Returns the type in which the user enters and sees numbers of this type. Types without a choice of units
 * stay the same. A density has a choice only with `isGlucose`: as a blood glucose.
 */
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

/** Returns a function that converts numbers of a type to those shown; undefined if they are the same. */
export function getConversion(type: string): ((value: number) => number) | undefined {
  if (isRating(type)) return value => value * 10
  const displayType = getDisplayType(type)
  const pointType = toPointType(type)
  return displayType === pointType ? undefined : value => convertUnit(value, pointType, displayType) ?? value
}

/** Formats a number of a type in the user's unit: `{value: '61.9', unit: 'kg'}`. */
export function formatQuantity(type: string, value: number, { isGlucose = false } = {}): Quantity {
  return formatQuantityIn(getDisplayType(type, { isGlucose }), type, value, { molarMass: isGlucose })
}

interface ConversionOptions {
  /** In g/mol; `true` means glucose. */
  readonly molarMass?: boolean | number
  /** Maximum number of decimals of a number that is not converted. Default: as stored. */
  readonly decimals?: number | undefined
}

/** Formats a number of a type in the unit of another type, or in its own if it cannot be converted. */
export function formatQuantityIn(
  displayType: string,
  type: string,
  value: number,
  { molarMass = false, decimals }: ConversionOptions = {}
): Quantity {
  const number = convertUnit(value, type, displayType, molarMass)
  if (number === undefined) return { value: formatNumber(value, decimals), unit: getUnit(type)?.symbol ?? '' }
  const isAsStored = displayType === toPointType(type)
  if (displayType === 'mass/lb' && displayUnits.value.mass === 'st')
    return formatTwoUnits(number, 14, ['st', 'lb'])
  if (displayType === 'length/in') return formatTwoUnits(number, 12, ['ft', 'in'])
  const [unitClass, format] = splitType(displayType)
  if (unitClass === 'money') return { value: formatNumber(number, 2), unit: format.toUpperCase() }
  if (displayType === 'ratio/percent') return { value: formatNumber(number, decimals), unit: '%' }
  return {
    value: formatNumber(number, isAsStored ? decimals : getDecimals(displayType)),
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

/** Returns whether numbers of a type are ratings, which are stored from 0 to 1 and shown from 0 to 10. */
export function isRating(type: string): boolean {
  return toPointType(type) === 'mood/rating'
}

/** Formats a rating, which is stored from 0 to 1: `7.5/10`. */
export function formatRating(value: number): string {
  return `${formatNumber(value * 10, 1)}/10`
}

/** Joins a number and its unit: `61.9 kg`, `97%`. */
export function joinQuantity({ value, unit }: Quantity): string {
  if (unit === '') return value
  const hasNoSpace = unit === '°' || (unit === '%' && getLanguage() === 'en')
  return hasNoSpace ? `${value}${unit}` : `${value}\u00a0${unit}`
}

/** Returns the type of the points of a series; other types unchanged. */
export function toPointType(type: string): string {
  return type.replace(/^series:/, '')
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
