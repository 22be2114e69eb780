/** Times of random tables: moments as clocks of a zone display them, in many formats. */
import { getOffset } from '../../../imports/text/times.js'
import type { Random } from '../../support/random.js'
import { two, writeDate, writeWordDate, type Locale } from './locales.js'

export interface Times {
  /** The moments of the rows, in seconds. */
  readonly moments: readonly number[]
  /** Time columns, the first of which may contain only a date. */
  readonly columns: readonly { readonly name: string; readonly cells: readonly string[] }[]
  /** The time zone given with the file. */
  readonly zone: string | undefined
  /** Whether only the date is known. */
  readonly isDay: boolean
  /** The order of a numeric date, about which the user may be asked. */
  readonly order: 'dmy' | 'mdy' | 'ymd'
}

/** Zones, and times at which their clocks go back or forward. */
const zones: readonly (readonly [zone: string, ...changes: string[]])[] = [
  ['Europe/Zurich', '2024-10-27T01:00Z', '2024-03-31T01:00Z', '2023-10-29T01:00Z'],
  ['Europe/London', '2024-10-27T01:00Z', '2024-03-31T01:00Z'],
  ['America/New_York', '2024-11-03T06:00Z', '2024-03-10T07:00Z'],
  ['America/St_Johns', '2024-11-03T04:30Z'],
  ['Australia/Lord_Howe', '2024-04-06T15:00Z', '2024-10-05T15:30Z'],
  ['America/Havana', '2024-11-03T05:00Z', '2024-03-10T05:00Z'],
  ['Australia/Sydney', '2024-04-06T16:00Z'],
  ['America/Sao_Paulo', '2018-02-18T02:00Z'],
  ['Asia/Kolkata', '2024-01-01T00:00Z'],
  ['Asia/Tokyo', '2024-01-01T00:00Z'],
  ['America/Los_Angeles', '2024-11-03T09:00Z']
]

const abbreviations: Readonly<Record<string, readonly [number, string][]>> = {
  'Europe/Zurich': [
    [1, 'CET'],
    [2, 'CEST'],
    [1, 'MEZ'],
    [2, 'MESZ']
  ],
  'America/New_York': [
    [-5, 'EST'],
    [-4, 'EDT']
  ],
  'America/Los_Angeles': [
    [-8, 'PST'],
    [-7, 'PDT']
  ],
  'Asia/Tokyo': [[9, 'JST']],
  'Australia/Sydney': [
    [10, 'AEST'],
    [11, 'AEDT']
  ]
}

/** Returns moments around a clock change or over some days, sorted or not. */
function pickMoments(random: Random, rows: number, change: number, isDay: boolean): number[] {
  if (isDay) return Array.from({ length: rows }, (_, at) => change + at * 86_400)
  const step = random.pick([60, 300, 900, 1800, 3600, 3600, 86_400, 86_400 * 3 + 1800])
  const isExact = random.chance(0.8)
  const start = random.chance(0.5)
    ? change - Math.floor((rows * step) / 2 / 900) * 900
    : change + (random.below(700) - 300) * 86_400
  const moments = Array.from(
    { length: rows },
    (_, at) => start + at * step + (isExact ? 0 : random.below(step))
  )
  const order = random.below(4)
  if (order === 1) return moments.toReversed()
  // A few unsorted rows may look sorted.
  if (order === 2 && rows > 12) return moments.toSorted(() => random.next() - 0.5)
  return moments
}

function offsetText(seconds: number, colon: string): string {
  const away = Math.abs(seconds) / 60
  return `${seconds < 0 ? '-' : '+'}${two(Math.floor(away / 60))}${colon}${two(away % 60)}`
}

/** Returns what clocks of a zone display at a moment, as a UTC date. */
function local(moment: number, zone: string): Date {
  return new Date((moment + getOffset(moment, zone)) * 1000)
}

function iso(moment: number, zone: string): string {
  return local(moment, zone).toISOString().slice(0, 19)
}

/** Returns the times of a table. */
export function pickTimes(random: Random, locale: Locale, rows: number): Times {
  const { words } = locale
  const [own, ...changes] = random.pick(zones) as [string, ...string[]]
  const isDay = random.chance(0.12)
  const change = Date.parse(random.pick(changes)) / 1000
  const picked = pickMoments(random, rows, change, isDay)
  const form = isDay
    ? random.pick(['local', 'iso day', 'word day'] as const)
    : random.pick([
        'local',
        'local',
        'local',
        'local',
        'two columns',
        'two columns',
        'iso',
        'iso offset',
        'iso z',
        'iso basic',
        'compact',
        'word',
        'days',
        's',
        'ms',
        'µs',
        'ns',
        's.',
        'abbreviation',
        'zone column',
        'header zone',
        'date midnight'
      ] as const)
  const dates = random.pick(locale.dates)
  const clock = random.pick(locale.clocks)
  const hasSeconds = /S/.test(clock)
  // Times written to the minute have no seconds.
  const moments = isDay
    ? picked.map(moment => {
        const midnight = Math.floor(moment / 86_400) * 86_400
        return localToMoment(midnight, own)
      })
    : picked.map(moment => (hasSeconds && form === 'local' ? moment : Math.floor(moment / 60) * 60))
  const all = (write: (moment: number) => string): string[] => moments.map(write)
  const single = (cells: string[], name = random.pick(words.time)): Times => ({
    moments,
    columns: [{ name, cells }],
    zone: own,
    isDay,
    order
  })
  const order = dates.startsWith('m') || dates.startsWith('M') ? 'mdy' : /^[yY]/.test(dates) ? 'ymd' : 'dmy'
  switch (form) {
    case 'iso day':
      return single(
        all(moment => iso(moment, own).slice(0, 10)),
        random.pick(words.date)
      )
    case 'word day':
      return single(
        all(moment => writeWordDate(locale.name, local(moment, own), random.chance(0.5))),
        random.pick(words.date)
      )
    case 'two columns':
    case 'date midnight': {
      const midnight = form === 'date midnight' ? ' 00:00:00' : ''
      const columns = [
        {
          name: random.pick(words.date),
          cells: all(moment => writeDate(dates, local(moment, own)) + midnight)
        },
        {
          name: random.pick(words.clock),
          cells: all(moment => writeDate(clock.replace(':S', ''), local(moment, own)))
        }
      ]
      return { moments, columns, zone: own, isDay, order }
    }
    case 'iso':
      return single(all(moment => iso(moment, own).replace('T', random.pick(['T', ' ']))))
    case 'iso offset': {
      const colon = random.pick(['', ':'])
      const mark = random.pick(['T', ' '])
      return single(
        all(
          moment =>
            iso(moment, own).replace('T', mark) +
            random.pick([' ', '']) +
            offsetText(getOffset(moment, own), colon)
        )
      )
    }
    case 'iso z':
      return single(all(moment => `${iso(moment, '+00:00')}${random.pick(['Z', '.000Z', ' UTC'])}`))
    case 'iso basic':
      return single(all(moment => `${iso(moment, '+00:00').replaceAll(/[-:]/g, '')}Z`))
    case 'compact':
      return single(
        all(moment =>
          iso(moment, own)
            .replaceAll(/[-:T]/g, '')
            .slice(0, 12 + 2 * (rows % 2))
        )
      )
    case 'word':
      return single(
        all(
          moment =>
            `${writeWordDate(locale.name, local(moment, own), rows % 2 === 0)}${random.pick([' ', ', '])}${writeDate('H:N', local(moment, own))}`
        )
      )
    case 'days': {
      const places = 5 + random.below(8)
      return single(
        all(moment =>
          ((moment + getOffset(moment, own)) / 86_400 + 25_569).toFixed(places).replace('.', locale.decimal)
        )
      )
    }
    case 's':
      return single(all(String))
    case 's.':
      return single(all(moment => `${moment}.0`))
    case 'ms':
      return single(all(moment => String(moment * 1000)))
    case 'µs':
      return single(all(moment => `${moment}000000`))
    case 'ns':
      return single(all(moment => `${moment}000000000`))
    case 'abbreviation': {
      const known = abbreviations[own]
      const name = (moment: number): string =>
        known?.find(([hours]) => hours * 3600 === getOffset(moment, own))?.[1] ?? ''
      return known
        ? single(
            all(
              moment =>
                `${writeDate(dates, local(moment, own))} ${writeDate('H:N', local(moment, own))} ${name(moment)}`
            )
          )
        : single(all(String))
    }
    case 'zone column': {
      const cells = all(
        moment => `${writeDate(dates, local(moment, own))} ${writeDate('H:N', local(moment, own))}`
      )
      const isName = random.chance(0.4)
      const write = random.pick([
        (text: string) => text,
        (text: string) => `UTC${text}`,
        (text: string) => `GMT${text}`,
        (text: string) => text.replace(':', '')
      ])
      const offsets = all(moment => (isName ? own : write(offsetText(getOffset(moment, own), ':'))))
      const name = random.pick(['Timezone', 'Time zone', 'UTC offset', 'tz', 'Zeitzone', 'time_offset'])
      return {
        moments,
        columns: [
          { name: random.pick(words.time), cells },
          { name, cells: offsets }
        ],
        zone: isName ? undefined : random.pick([undefined, 'Asia/Tokyo']),
        isDay,
        order
      }
    }
    case 'header zone': {
      const base = random.pick(words.time)
      const [text, zone] = random.pick([
        ['UTC', '+00:00'],
        ['GMT+2', '+02:00'],
        ['UTC-05:00', '-05:00'],
        [own, own],
        ['GMT', '+00:00']
      ] as const)
      const cells = all(
        moment => `${writeDate(dates, local(moment, zone))} ${writeDate('H:N', local(moment, zone))}`
      )
      const name = random.pick([`${base} (${text})`, `${base} [${text}]`, `${base} ${text}`])
      return {
        moments,
        columns: [{ name, cells }],
        zone: random.pick([undefined, 'Asia/Tokyo', own]),
        isDay,
        order
      }
    }
    default:
      return single(
        all(moment =>
          isDay
            ? writeDate(dates, local(moment, own))
            : `${writeDate(dates, local(moment, own))}${random.pick([' ', ' ', ', '])}${writeDate(clock, local(moment, own))}`
        ),
        random.pick(isDay ? words.date : words.time)
      )
  }
}

/** Returns the moment at which a day starts in a zone. */
function localToMoment(midnight: number, zone: string): number {
  for (const offset of [getOffset(midnight - 86_400, zone), getOffset(midnight + 86_400, zone)]) {
    const moment = midnight - offset
    if (moment + getOffset(moment, zone) === midnight) return moment
  }
  // A day that starts an hour late.
  return midnight - getOffset(midnight - 86_400, zone)
}
