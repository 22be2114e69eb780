/** What is read after the cards: what has arrived and who looked since yesterday, and this day a year ago. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { getDayStart } from '../../../schemas/zones.js'
import { getLocale, t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount, type Account } from '../data/account.js'
import { readCalls } from '../data/calls.js'
import { getMeasureColour, getMeasureName, type AnyMeasure, type MeasureFact } from '../data/measures.js'
import { countNights } from '../data/nights.js'
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
import { describeTime, getSourceName } from './describe-value.js'
import { Moments } from './moments.js'

interface Props {
  /** What the cards show. It is another object after each change. */
  readonly data: object
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
const maxCalls = 100
const maxEvents = 12
const maxNames = 3
/** Minimum milliseconds between two reads while changes arrive. */
const minIntervalMs = 30_000

/** Reads and shows both sections; renders neither while reading, if there is nothing, or if reading fails. */
export default function Later({ data, day, zones, now }: Props) {
  const account = useAccount()
  const accesses = useStore(account.accesses)
  const tree = useStore(account.tree)
  const [before, setBefore] = useState<Before>()
  const lastRead = useRef(-Infinity)
  useEffect(() => {
    let isGone = false
    const read = (): void => {
      lastRead.current = performance.now()
      readBefore(account, day).then(
        found => {
          if (!isGone) setBefore(found)
        },
        // The cards above are more important than a message that these could not be read.
        () => undefined
      )
    }
    const timer = setTimeout(read, Math.max(0, lastRead.current + minIntervalMs - performance.now()))
    return () => {
      isGone = true
      clearTimeout(timer)
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
            {arrived.map(each => (
              <li key={each.measure.id} style={{ '--c': getMeasureColour(each.measure) }}>
                <MeasureIcon icon={each.measure.icon} hue={each.measure.hue} />
                <span>
                  {getMeasureName(each.measure)} <b class="num">{describeCount(each, each.fact.count)}</b>{' '}
                  <small>{listSources(each, tree)}</small>
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
      <p class="hint">
        <AppLink to={{ page: 'letter' }}>{t('today.week')}</AppLink>
      </p>
    </>
  )
}

/** Reads what has arrived and who looked since the start of yesterday, and the events of this day a year ago. */
async function readBefore(account: Account, day: Day): Promise<Before> {
  const yearAgoNumber = getYearAgo(day.number)
  const yearAgoStart = getDayStart(day.zone, yearAgoNumber)
  const since = getDayStart(day.zone, day.number - 1)
  const accesses = account.accesses.value
    .filter(({ type, lastUsed = 0 }) => type !== 'personal' && lastUsed >= since)
    .toSorted((a, b) => b.lastUsed! - a.lastUsed!)
    .slice(0, maxAccesses)
  const [arrived, { events }, looks] = await Promise.all([
    readArrived(account, day, since),
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

/**
 * Reads when an access last read data within a time range, and from which streams; undefined if it has not.
 */
async function readLook(
  { client }: Account,
  access: Access,
  from: number,
  to: number
): Promise<Look | undefined> {
  const calls = await readCalls(client, { accessId: access.id, from, to, limit: maxCalls })
  const looks = calls.filter(({ kind }) => kind === 'look')
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

/** A measure, and what has been created of it since yesterday. */
interface Arrived {
  readonly measure: AnyMeasure
  readonly fact: MeasureFact
  /** Nights that the periods of sleep belong to. */
  readonly nights?: number
}

/** Reads what has been created since yesterday, whatever its time, in the order of the catalogue. */
async function readArrived(
  { client, measures }: Account,
  day: Day,
  since: number
): Promise<readonly Arrived[]> {
  const { facts } = await client.call<{ facts: readonly MeasureFact[] }>('measures.facts', {
    createdSince: since
  })
  const [found, nights] = await Promise.all([
    measures.read(facts.map(({ measure }) => measure)),
    countNights(client, facts.find(isOfSleep), day.zone)
  ])
  return found.map((measure, index) => {
    const fact = facts[index]!
    return { measure, fact, ...(isOfSleep(fact) && nights !== undefined ? { nights } : {}) }
  })
}

function isOfSleep({ measure }: MeasureFact): boolean {
  return measure === 'sleep'
}

/** Describes how much has arrived, in what people count: readings, nights, activities. */
function describeCount({ measure, nights }: Arrived, count: number): string {
  if (nights !== undefined) return t('today.nights', { count: nights })
  if (measure.kind === 'text' || measure.kind === 'place') return formatNumber(count)
  if (measure.kind === 'span') return t('today.times', { number: formatNumber(count) })
  return t('today.readings', { count })
}

/** Names the sources of what has arrived. If there are several, each has its number of values, except for nights. */
function listSources({ fact, measure, nights }: Arrived, tree: Tree | undefined): string {
  const counts = new Map<string, number>()
  for (const { count, streamId } of fact.sources) counts.set(streamId, (counts.get(streamId) ?? 0) + count)
  const isSingle = counts.size === 1
  const names = [...counts].slice(0, maxNames).flatMap(([id, count]) => {
    const name = getSourceName(id, measure, tree)
    if (isSingle) return name ?? []
    const source = name ?? getMeasureName(measure)
    return nights === undefined ? t('today.sourceCount', { source, number: formatNumber(count) }) : source
  })
  if (counts.size > maxNames) names.push(t('shell.moreStreams', { count: counts.size - maxNames }))
  return new Intl.ListFormat(getLocale(), { type: 'unit', style: 'short' }).format(names)
}
