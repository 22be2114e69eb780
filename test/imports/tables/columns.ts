/** Columns of random tables, with the meaning of each cell. */
import type { Random } from '../../support/random.js'
import type { Locale, Words } from './locales.js'

/** The measured value. */
export interface Truth {
  readonly type: string
  readonly value: unknown
}

export interface Column {
  readonly name: string
  /** The unit in the line below the header. */
  readonly unit: string
  /** Streams for exactly this measure; values may also be imported under the column's name. */
  readonly streams: readonly string[]
  /** The meaning of all cells of the column: other columns must not be imported. */
  readonly kind: 'measure' | 'note' | 'other'
  /** Written as fractions in a percent column: must not be imported as this measure. */
  readonly isFraction?: boolean
  /** Field of a value that several columns make up. */
  readonly field?: string
  /** Cells, and their meaning. */
  readonly cells: readonly { readonly text: string; readonly truth?: Truth | undefined }[]
}

interface Measure {
  readonly word: Exclude<
    keyof Words,
    'systolic' | 'diastolic' | 'minimum' | 'maximum' | 'average' | 'goal' | 'in'
  >
  readonly stream: string
  readonly least: number
  readonly most: number
  readonly places: readonly number[]
  /** Names of units in headers or cells, also spelled out, with the type and the factor of a value. */
  readonly units: readonly (readonly [
    names: readonly string[],
    type: string,
    factor: number,
    scale: number
  ])[]
  /** Whether its header alone determines the type of the first unit. */
  readonly isPlain?: boolean
}

const measures: readonly Measure[] = [
  {
    word: 'weight',
    stream: 'Weight',
    least: 40,
    most: 120,
    places: [0, 1, 2, 3],
    units: [
      [['kg', 'Kilogramm', 'kilograms', 'kilogrammes'], 'mass/kg', 1, 1],
      [['lb', 'lbs', 'pounds'], 'mass/lb', 1, 2.2],
      [['g', 'grams', 'Gramm'], 'mass/g', 1, 1000]
    ]
  },
  {
    word: 'heart',
    stream: 'Heart rate',
    least: 40,
    most: 180,
    places: [0, 0, 1],
    isPlain: true,
    units: [[['bpm', 'count/min', '1/min', 'beats/min'], 'frequency/bpm', 1, 1]]
  },
  {
    word: 'steps',
    stream: 'Steps',
    least: 0,
    most: 30_000,
    places: [0],
    isPlain: true,
    units: [[['steps', 'count', 'Schritte'], 'count/steps', 1, 1]]
  },
  {
    word: 'energy',
    stream: 'Energy',
    least: 0,
    most: 4000,
    places: [0, 1, 3],
    units: [
      [['kcal', 'Cal', 'kilocalories'], 'energy/kcal', 1, 1],
      [['kJ', 'kilojoules'], 'energy/j', 1000, 4.2],
      [['MJ'], '', 1, 0.0042]
    ]
  },
  {
    word: 'glucose',
    stream: 'Blood glucose',
    least: 40,
    most: 400,
    places: [0, 1],
    units: [
      [['mg/dL', 'mg/dl'], 'density/mg-dl', 1, 1],
      [['mmol/L', 'mmol/l'], 'density/mmol-l', 1, 1 / 18]
    ]
  },
  {
    word: 'temperature',
    stream: 'Temperature',
    least: 35,
    most: 41,
    places: [1, 2],
    units: [
      [['°C', 'Celsius', 'C'], 'temperature/c', 1, 1],
      [['°F', 'Fahrenheit', 'F'], 'temperature/f', 1, 2.6]
    ]
  },
  {
    word: 'fat',
    stream: 'Body fat',
    least: 5,
    most: 45,
    places: [1, 2],
    isPlain: true,
    units: [
      [['%', 'percent'], 'ratio/percent', 1, 1],
      [['kg'], 'mass/kg', 1, 1]
    ]
  },
  {
    word: 'oxygen',
    stream: 'Oxygen saturation',
    least: 80,
    most: 100,
    places: [0, 1],
    isPlain: true,
    units: [[['%', 'Prozent', 'pourcent'], 'ratio/percent', 1, 1]]
  }
]

/** Cells without a number. */
const missing = [
  '',
  '',
  '',
  ' ',
  '-',
  '—',
  'n/a',
  'N/A',
  'null',
  'NaN',
  '--',
  'Low',
  'HI',
  '<20',
  '>400',
  '?',
  '20-30',
  '7:30',
  'none'
]

/** Writes a number in a country's format. */
export function writeNumber(
  value: number,
  places: number,
  isGrouped: boolean,
  { decimal, group }: Locale
): string {
  const [whole, rest] = Math.abs(value).toFixed(places).split('.') as [string, string | undefined]
  const sign = value < 0 ? '-' : ''
  const grouped = isGrouped ? whole.replaceAll(/\B(?=(?:\d{3})+$)/g, group) : whole
  return sign + (rest === undefined ? grouped : grouped + decimal + rest)
}

/** Returns a column of a measure, or of its minimum, maximum, average or target. */
export function measureColumn(random: Random, locale: Locale, rows: number): Column {
  const { words } = locale
  const measure = random.pick(measures)
  const [units, type, factor, scale] = random.chance(0.75) ? measure.units[0]! : random.pick(measure.units)
  const part = random.chance(0.25)
    ? random.pick(['minimum', 'maximum', 'average', 'goal'] as const)
    : undefined
  const base = random.pick(words[measure.word])
  const named =
    part === undefined
      ? base
      : random.pick([`${words[part]} ${base}`, `${base} (${words[part]})`, `${base} ${words[part]}`])
  const unit = random.pick(units)
  const picked = random.pick(['header', 'header', 'header', 'below', 'cells', 'none'] as const)
  // A name that implies a unit is never used with other units.
  const isTold = measure.isPlain || /calor|kalor|カロ/i.test(base)
  const place = picked === 'none' && isTold && type !== measure.units[0]![1] ? 'header' : picked
  const isWord = /^[A-Za-z]{4,}$/.test(unit)
  const name =
    place === 'header'
      ? random.pick([
          `${named} (${unit})`,
          `${named} [${unit}]`,
          `${named}, ${unit}`,
          `${named} ${unit}`,
          ...(isWord ? [`${named} ${words.in} ${unit}`] : [])
        ])
      : named
  const places = random.pick(measure.places)
  const isGrouped = random.chance(0.4)
  const isFraction = unit === '%' && place !== 'cells' && random.chance(0.1)
  const isKept = place !== 'none' || (isTold && type === measure.units[0]![1])
  const cells = Array.from({ length: rows }, () => {
    if (random.chance(0.12)) return { text: random.pick(missing) }
    const isOther = place === 'cells' && random.chance(0.05)
    const [others, otherType, otherFactor, otherScale] = isOther
      ? random.pick(measure.units)
      : ([[unit], type, factor, scale] as const)
    // In the scale of its unit: 71.3 g of body weight could only be read as 71,300 g.
    const raw = (measure.least + random.next() * (measure.most - measure.least)) * otherScale
    const value = Number((isFraction ? raw / 100 : raw).toFixed(isFraction ? 3 : places))
    const text = writeNumber(value, isFraction ? 3 : places, isGrouped, locale)
    const written =
      place === 'cells'
        ? `${text}${random.pick([/^\d/.test(others[0]!) ? ' ' : '', ' ', '\u00a0'])}${others[0]!}`
        : text
    const isRight = isKept && otherType !== ''
    return {
      text: written,
      truth: isRight ? { type: otherType, value: Number((value * otherFactor).toPrecision(12)) } : undefined
    }
  })
  return {
    name,
    unit: place === 'below' ? unit : '',
    streams:
      part === undefined
        ? [measure.stream, ...(measure.word === 'heart' ? ['Blood pressure'] : [])]
        : part === 'goal'
          ? []
          : [`${measure.stream}, ${part}`],
    kind: 'measure',
    isFraction,
    cells
  }
}

/** Returns two or three columns of blood pressures. */
export function pressureColumns(random: Random, { words }: Locale, rows: number): Column[] {
  const unit = random.pick([' (mmHg)', ' [mmHg]', '', ' mmHg'])
  const all = Array.from(
    { length: rows },
    () => [100 + random.below(60), 50 + random.below(45), 50 + random.below(60)] as const
  )
  const names = [words.systolic + unit, words.diastolic + unit, random.pick(words.heart)]
  const broken = all.map(() => (random.chance(0.1) ? random.below(3) : 3))
  return names.slice(0, random.chance(0.6) ? 3 : 2).map((name, at) => ({
    name,
    unit: '',
    streams: ['Blood pressure', 'Heart rate'],
    kind: 'measure',
    field: ['systolic', 'diastolic', 'rate'][at]!,
    cells: all.map((values, row) =>
      broken[row] === at
        ? { text: random.pick(missing) }
        : {
            text: String(values[at]),
            truth: { type: at === 2 ? 'frequency/bpm' : 'blood-pressure/mmhg-bpm', value: values[at] }
          }
    )
  }))
}

const remarks = [
  'müde',
  'slept well',
  'après le déjeuner',
  '12,5',
  '70',
  'a "good" day',
  'línea\nnueva',
  'x; y, z',
  'two\r\nlines',
  'tab\there',
  '|',
  '2024-05-01',
  'zażółć',
  '眠い',
  '<20',
  "it's",
  '…'
]

/** Returns a column of comments. */
export function noteColumn(random: Random, { words }: Locale, rows: number, isPlain: boolean): Column {
  const texts = isPlain ? remarks.filter(text => /^[\u0020-\u00ff\n\r\t]*$/.test(text)) : remarks
  return {
    name: random.pick(words.note),
    unit: '',
    streams: ['Notes'],
    kind: 'note',
    cells: Array.from({ length: rows }, () => {
      const text = random.chance(0.4) ? '' : random.some(texts, 2).join(' ')
      return { text, truth: text === '' ? undefined : { type: 'note/txt', value: text } }
    })
  }
}

/** Returns a column of numbers that are not measurements, such as record or person numbers. */
export function otherColumn(random: Random, rows: number): Column {
  const start = random.pick([1, 1000, 45_000, 20_240_101, 1_700_000_000, 202_405_010_000])
  const name = random.pick([
    'ID',
    'No.',
    '#',
    'Record ID',
    'Measured by',
    'Patient',
    'Score',
    'Vitamin C',
    'Set',
    'Level',
    'Group',
    'Start number',
    'BMI',
    'Moving Time',
    'Bedtime',
    'Rank',
    'Checked in',
    'Zone',
    'Code',
    'created_by',
    'Started'
  ])
  const isClock = /time$/i.test(name)
  const step = 1 + random.below(20)
  return {
    name,
    unit: '',
    streams: [],
    kind: 'other',
    cells: Array.from({ length: rows }, (_, at) => ({
      text: isClock
        ? `${String(random.below(24)).padStart(2, '0')}:${String(random.below(60)).padStart(2, '0')}`
        : String(start + at * step)
    }))
  }
}
