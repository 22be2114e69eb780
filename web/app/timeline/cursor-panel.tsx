/** The panel for the time of the cursor: values, notes, photos, tracks; and who may see the lane in which it was placed. */
import { useEffect, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import type { Event } from '../data/model.js'
import { useStore } from '../data/store.js'
import { getLength } from '../lanes/view.js'
import { AppLink } from '../parts/app-link.js'
import { Icon } from '../parts/icon.js'
import { OwnerOnly } from '../parts/owner-only.js'
import { formatDay, formatDateTime } from '../parts/format-time.js'
import { openAddDialog } from '../shell/adding.js'
import { EventCard } from './event-card.js'
import { settleMs, type TimelineModel } from './model.js'
import { getLaneKind, type LanePlan } from '../lanes/plan-lane.js'
import { readValueAt } from './describe-lane.js'
import { formatZonedTime, getDayPart } from './titles.js'
import { listReaders } from './lane-audience.js'

/** Maximum cards. */
const maxCards = 8

interface Props {
  readonly model: TimelineModel
  readonly plans: readonly LanePlan[]
}

/**
 * Shows the part of the day around the cursor, read again when data changes. Only the owner sees who has access to the
 * lane, and can add events.
 */
export function CursorPanel({ model, plans }: Props) {
  const account = useAccount()
  const { zones } = model
  useStore(model.at)
  const view = useStore(model.view)
  const at = useSettled(model.placedCursor)
  const part = getDayPart(at, zones)
  const { events, more } = useEvents(part.from, part.to)
  const weekday = formatZonedTime(at, zones, { weekday: 'long' })
  const chosen = useStore(model.chosen)
  const plan = plans.find(({ id }) => id === chosen) ?? plans[0]
  return (
    <aside class="moment" aria-label={t('timeline.moment')}>
      <div class="top">
        <h2>{t(`timeline.part.${part.name}`, { weekday })}</h2>
        <span class="num">
          {formatZonedTime(at, zones, {
            day: 'numeric',
            month: 'short',
            hour: '2-digit',
            minute: '2-digit',
            ...(getLength(view) > 300 * 86_400 ? { year: 'numeric' } : {})
          })}
        </span>
      </div>
      <LaneValues model={model} plans={plans} at={at} isAlone={events?.length === 0} />
      {events?.map(event => (
        <EventCard key={event.id} event={event} tracks={events} zones={zones} />
      ))}
      {more > 0 && <p class="hint num">{t('timeline.more', { count: more })}</p>}
      {account.isOwner && plan && <LaneAccesses plan={plan} />}
      <OwnerOnly>
        <button type="button" class="add-here" onClick={() => openAddDialog({ time: at })}>
          <Icon name="plus" />
          {t(`timeline.addTo.${part.name}`)}
        </button>
      </OwnerOnly>
    </aside>
  )
}

interface ValuesProps extends Props {
  readonly at: number
  /** Whether there are no events at this time. */
  readonly isAlone: boolean
}

/** The values of the lanes at the cursor. */
function LaneValues({ model, plans, at, isAlone }: ValuesProps) {
  const data = useStore(model.data)
  const view = model.view.value
  const rows = plans.flatMap(plan => {
    const own = plan.kind === 'marks' ? undefined : data.get(plan.id)
    const reading = own && readValueAt(own, at, view, model.zones)
    return reading ? [{ plan, text: reading.text, unit: plan.kind === 'nights' ? '' : plan.unit }] : []
  })
  if (rows.length === 0) return isAlone ? <p class="hint">{t('timeline.nothingHere')}</p> : null
  return (
    <dl class="card values" aria-label={t('timeline.valuesThen')}>
      {rows.map(({ plan, text, unit }) => (
        <div key={plan.id} style={{ '--c': plan.colour }}>
          <dt>
            <i class="dot" />
            {plan.name}
          </dt>
          <dd class="num">
            {text} <span>{unit}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

/**
 * Reads the events of a part of a day, without numbers, which the lanes show: up to a number of cards, the
 * tracks of activities, and how many cards more there are. `events` is undefined until they have been read.
 */
function useEvents(from: number, to: number) {
  const { client, facts, live, tree } = useAccount()
  const allFacts = useStore(facts)
  const [found, setFound] = useState<{ readonly events?: readonly Event[]; readonly more: number }>({
    more: 0
  })
  const [version, setVersion] = useState(0)
  const types = [
    ...new Set(
      allFacts
        .filter(fact => getLaneKind(fact) === 'marks' && tree.value?.find(fact.streamId))
        .map(({ type }) => type)
    )
  ]
  const key = types.join(' ')
  useEffect(() => live.follow('events', () => setVersion(each => each + 1), 1000), [live])
  useEffect(() => {
    if (types.length === 0) return setFound({ events: [], more: 0 })
    let isGone = false
    const streams = tree.value?.roots.map(({ id }) => id)
    const params = { streams, types, fromTime: from, toTime: to - 1, limit: 30, sortAscending: true }
    client.call<{ events: readonly Event[] }>('events.get', params).then(
      ({ events }) => {
        if (isGone) return
        const activities = new Set(
          events.filter(({ type }) => type.startsWith('activity/')).map(({ time }) => time)
        )
        const cards = events.filter(({ time, type }) => !(type.startsWith('series:') && activities.has(time)))
        const tracks = events.filter(event => !cards.includes(event))
        setFound({
          events: [...cards.slice(0, maxCards), ...tracks],
          more: Math.max(0, cards.length - maxCards)
        })
      },
      // The lanes show the error.
      () => undefined
    )
    return () => {
      isGone = true
    }
  }, [from, to, key, version])
  return found
}

/** The accesses that may see a lane. */
function LaneAccesses({ plan }: { readonly plan: LanePlan }) {
  const account = useAccount()
  const tree = useStore(account.tree)
  const accesses = useStore(account.accesses)
  const seen = tree ? listReaders(plan, tree, accesses) : []
  return (
    <section class="card seen">
      <h3>
        <Icon name={seen.length > 0 ? 'eye' : 'lock'} />
        {t('timeline.whoSees', { name: plan.name })}
      </h3>
      {seen.length === 0 && <p class="hint">{t('shell.onlyYou')}</p>}
      <ul>
        {seen.map(access => {
          const name = toPlainText(access.name)
          const adds = access.permissions.some(
            each => 'streamId' in each && (each.level === 'contribute' || each.level === 'manage')
          )
          const what = t(adds ? 'shell.level.contribute' : 'shell.level.read')
          return (
            <li key={access.id}>
              <span class={access.type === 'app' ? 'initial app' : 'initial'} aria-hidden="true">
                {Array.from(name)[0]?.toUpperCase()}
              </span>
              <span>
                <b>{name}</b>
                <small>
                  {typeof access.expires === 'number'
                    ? t('timeline.until', { what, date: formatDay(access.expires) })
                    : t('timeline.since', { what, date: formatDateTime(access.created).split(',')[0]! })}
                </small>
              </span>
              <AppLink
                to={{ page: 'shared', id: access.id }}
                class="end"
                label={t('timeline.manageWhom', { name })}
              >
                {t('timeline.manage')}
              </AppLink>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

/** Returns a value once it has not changed for `rest` milliseconds. */
function useSettled(value: number): number {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settleMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
