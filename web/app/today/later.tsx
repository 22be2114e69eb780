/** What is read after the cards: what has arrived and who looked since yesterday, and this day a year ago. */
import { useEffect, useState } from 'preact/hooks'
import { formatDate, getDayStart } from '../../../schemas/zones.js'
import { getLocale, t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount, type Account } from '../data/account.js'
import { readCalls } from '../data/calls.js'
import { getMeasureColour, getMeasureName, type AnyMeasure, type MeasureDay } from '../data/measures.js'
import type { Access, Event } from '../data/model.js'
import { useStore } from '../data/store.js'
import type { Tree } from '../data/tree.js'
import { formatNumber } from '../data/units.js'
import type { Day, Zones } from '../lanes/calendar.js'
import { getAccessName } from '../parts/access-name.js'
import { AppLink } from '../parts/app-link.js'
import { formatDay } from '../parts/format-time.js'
import { Icon } from '../parts/icon.js'
import { MeasureIcon } from '../parts/measure-icon.js'
import { describeTime, formatWhole } from './describe-value.js'
import { Moments } from './moments.js'
import type { TodayData } from './read-today.js'

interface Props {
  readonly data: TodayData
  readonly day: Day
  readonly zones: Zones
  /** In seconds. */
  readonly now: number
}

/** An access that has read data. */
interface Look {
  readonly access: Access
  readonly time: number
  readonly streamIds: readonly string[]
}

interface Before {
  readonly arrived: readonly Arrived[]
  readonly looks: readonly Look[]
  readonly yearAgo: readonly Event[]
  /** The day a year ago: its start in seconds. */
  readonly yearAgoStart: number
}

/** Maximum numbers of accesses, of calls read of each, and of events. */
const maxAccesses = 5
const maxCalls = 20
const maxEvents = 12
const maxNames = 3

export default function Later({ data, day, zones, now }: Props) {
  const account = useAccount()
  const accesses = useStore(account.accesses)
  const tree = useStore(account.tree)
  const [before, setBefore] = useState<Before>()
  useEffect(() => {
    let isGone = false
    readBefore(account, data, day).then(
      read => {
        if (!isGone) setBefore(read)
      },
      // The cards above are more important than a message that these could not be read.
      () => undefined
    )
    return () => {
      isGone = true
    }
  }, [account, accesses, data, day.number, day.zone])
  const arrived = before?.arrived ?? []
  const looks = before?.looks ?? []
  return (
    <>
      {(arrived.length > 0 || looks.length > 0) && (
        <section class="since" aria-labelledby="since-yesterday">
          <h2 id="since-yesterday">{t('today.since')}</h2>
          <ul class="arrived">
            {arrived.map(({ measure, text }) => (
              <li key={measure.id} style={{ '--c': getMeasureColour(measure) }}>
                <MeasureIcon icon={measure.icon} hue={measure.hue} />
                <span>
                  {getMeasureName(measure)} <b class="num">{text}</b>
                </span>
              </li>
            ))}
          </ul>
          <ul class="looks">
            {looks.map(({ access, streamIds, time }) => (
              <li key={access.id}>
                <Icon name="eye" />
                <span>
                  {t('today.looked', {
                    name: getAccessName(access.id, [access], ''),
                    what: listNames(streamIds, tree),
                    time: describeTime(time, day, zones, now)
                  })}{' '}
                  <AppLink to={{ page: 'shared', id: access.id }}>{t('today.activity')}</AppLink>
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {before && before.yearAgo.length > 0 && (
        <section class="year-ago" aria-labelledby="year-ago">
          <h2 id="year-ago">{t('today.yearAgo')}</h2>
          <p class="hint">
            <AppLink
              to={{
                page: 'timeline',
                query: {
                  from: String(before.yearAgoStart),
                  to: String(before.yearAgoStart + 86_400)
                }
              }}
            >
              {formatDay(before.yearAgoStart, day.zone)}
            </AppLink>
          </p>
          <Moments events={before.yearAgo} zone={day.zone} />
        </section>
      )}
    </>
  )
}

async function readBefore(account: Account, data: TodayData, day: Day): Promise<Before> {
  const yearAgoNumber = getYearAgo(day.number)
  const yearAgoStart = getDayStart(day.zone, yearAgoNumber)
  const since = getDayStart(day.zone, day.number - 1)
  const accesses = account.accesses.value
    .filter(({ type, lastUsed = 0 }) => type !== 'personal' && lastUsed >= since)
    .slice(0, maxAccesses)
  const [arrived, { events }, looks] = await Promise.all([
    readArrived(account, data, day, since),
    account.client.call<{ events: readonly Event[] }>('events.get', {
      fromTime: yearAgoStart,
      toTime: getDayStart(day.zone, yearAgoNumber + 1) - 0.001,
      types: ['picture/*', 'note/*', 'activity/*'],
      limit: maxEvents
    }),
    Promise.all(accesses.map(async access => await readLook(account, access, since, day.to)))
  ])
  return {
    arrived,
    yearAgo: events,
    yearAgoStart,
    looks: looks.flatMap(look => look ?? []).toSorted((a, b) => b.time - a.time)
  }
}

/** Reads when an access last read data, and from which streams; undefined if it has not. */
async function readLook(
  { client }: Account,
  access: Access,
  from: number,
  to: number
): Promise<Look | undefined> {
  const calls = await readCalls(client, { accessId: access.id, from, to, limit: maxCalls })
  const looks = calls.filter(({ kind, read }) => kind === 'look' && read)
  if (looks.length === 0) return undefined
  return {
    access,
    time: looks[0]!.time,
    streamIds: [...new Set(looks.flatMap(({ read }) => read!.streamIds))]
  }
}

/** Returns the number of the same date a year ago; of 29 February, the day before. */
function getYearAgo(number: number): number {
  const date = new Date(number * 86_400_000)
  const [month, inMonth] = [date.getUTCMonth(), date.getUTCDate()]
  const last = new Date(Date.UTC(date.getUTCFullYear() - 1, month + 1, 0)).getUTCDate()
  return Date.UTC(date.getUTCFullYear() - 1, month, Math.min(inMonth, last)) / 86_400_000
}

function listNames(ids: readonly string[], tree: Tree | undefined): string {
  if (ids.length === 0 || ids.includes('*')) return t('shell.allData')
  const names = ids.slice(0, maxNames).map(id => toPlainText(tree?.find(id)?.name ?? id))
  if (ids.length > maxNames) names.push(t('shell.moreStreams', { count: ids.length - maxNames }))
  return new Intl.ListFormat(getLocale(), { type: 'conjunction' }).format(names)
}

interface Arrived {
  readonly measure: AnyMeasure
  readonly text: string
}

/**
 * Counts what yesterday and today have brought, in what people count: readings, nights, activities, totals. Also of measures without a
 * card, in the order of the catalogue.
 */
async function readArrived(
  { client, measureFacts, measures }: Account,
  { rows }: TodayData,
  day: Day,
  since: number
): Promise<readonly Arrived[]> {
  const recent = measureFacts.value.filter(({ last }) => last >= since).map(({ measure }) => measure)
  const [found, days] = await Promise.all([
    measures.read(recent),
    Promise.all(recent.map(async measure => rows.get(measure) ?? (await readDays(measure))))
  ])
  return found.flatMap((measure, index) => {
    const own = days[index]!.filter(({ day: date }) => date >= formatDate(day.number - 1))
    return own.length === 0 || measure.kind === 'place'
      ? []
      : [{ measure, text: describeArrived(measure, own) }]
  })

  async function readDays(measure: string): Promise<readonly MeasureDay[]> {
    const range = { from: formatDate(day.number - 1), to: formatDate(day.number), zone: day.zone }
    return (await client.call<{ days: readonly MeasureDay[] }>('measures.days', { measure, ...range })).days
  }
}

function describeArrived(measure: AnyMeasure, rows: readonly MeasureDay[]): string {
  const sum = (of: (row: MeasureDay) => number): number => rows.reduce((total, row) => total + of(row), 0)
  if (measure.id === 'sleep') return t('today.nights', { count: rows.length })
  if (measure.kind === 'text') return formatNumber(sum(({ count }) => count))
  if (measure.kind === 'span') return t('today.times', { number: sum(({ count }) => count) })
  if (measure.kind === 'sum')
    return formatWhole(
      measure,
      sum(({ value }) => (typeof value === 'number' ? value : 0))
    )
  return t('today.readings', { count: sum(({ count }) => count) })
}
