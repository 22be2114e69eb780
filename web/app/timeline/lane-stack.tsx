/** The stacked lanes with one cursor, and the axis below. */
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { t } from '../../language.js'
import { useAccount } from '../data/account.js'
import type { Client } from '../data/client.js'
import { useStore } from '../data/store.js'
import { TimeAxis } from '../lanes/axis.js'
import { getDayAt, type Zones } from '../lanes/calendar.js'
import { getLength, toX } from '../lanes/view.js'
import { getGutter } from '../lanes/surface.js'
import { handleKeys, handlePointers } from './gestures.js'
import { LaneLoader } from '../lanes/lane-loader.js'
import { LaneView } from './lane-view.js'
import type { TimelineModel } from './model.js'
import { getLoadKey, type LanePlan } from '../lanes/plan-lane.js'
import { readValueAt } from './describe-lane.js'
import { formatMoment } from './titles.js'

interface Props {
  readonly model: TimelineModel
  readonly plans: readonly LanePlan[]
  readonly client: Client
  readonly onLanes: (ids: readonly string[]) => void
}

/** Minimum milliseconds between reloads while changes arrive. */
const minIntervalMs = 1000

/** Shows the lanes, reads their data as the view changes, and handles pointers and keys on them. */
export function LaneStack({ model, plans, client, onLanes }: Props) {
  const { live } = useAccount()
  const sheet = useRef<HTMLDivElement>(null)
  const flag = useRef<HTMLDivElement>(null)
  const loaders = useLoaders(plans, client, model.zones)
  const spans = useStore(model.spans)
  const current = useRef({ plans, loaders })
  current.current = { plans, loaders }

  useEffect(() => {
    const ends = [
      handlePointers(sheet.current!, model),
      handleKeys(model),
      drawCursor(sheet.current!, flag.current!, model, () => describeCursor(model, current.current))
    ]
    return () => {
      for (const end of ends) end()
    }
  }, [model])
  useEffect(
    () =>
      live.follow(
        'events',
        () => {
          for (const loader of current.current.loaders.values()) loader.refresh()
        },
        minIntervalMs
      ),
    [live]
  )
  const order = plans.map(({ id }) => id)
  const move = (id: string, by: 1 | -1): void => {
    const at = order.indexOf(id)
    const newLoaders = order.toSpliced(at, 1)
    newLoaders.splice(at + by, 0, id)
    onLanes(newLoaders)
  }
  const view = useStore(model.view)
  return (
    <div class="sheet card" ref={sheet}>
      <div
        class="flag num"
        ref={flag}
        role="slider"
        tabIndex={0}
        aria-label={t('timeline.cursor')}
        aria-valuemin={0}
        aria-valuemax={1000}
        aria-valuenow={1000}
      />
      {plans.map((plan, index) => (
        <LaneView
          key={plan.id}
          plan={plan}
          loader={loaders.get(plan.id)!}
          model={model}
          spans={spans}
          isFirst={index === 0}
          isLast={index === plans.length - 1}
          onHide={() => onLanes(order.filter(id => id !== plan.id))}
          onMove={by => move(plan.id, by)}
          onReplace={ids => onLanes(replaceLanes(order, plan.id, ids))}
        />
      ))}
      <div class="axis">
        <span class="zone">{getZoneName(model, view.to)}</span>
        <div class="ticks">
          <TimeAxis view={model.view} zones={model.zones} />
        </div>
      </div>
    </div>
  )
}

/** Replaces a lane, and the other lanes of its measure, by other lanes. */
function replaceLanes(order: readonly string[], id: string, ids: readonly string[]): string[] {
  const [measure] = id.split('/', 1)
  const isReplaced = (each: string): boolean => each === id || each.split('/', 1)[0] === measure
  const first = order.findIndex(isReplaced)
  const isKept = (each: string): boolean => !isReplaced(each) && !ids.includes(each)
  return [...order.slice(0, first).filter(isKept), ...ids, ...order.slice(first).filter(isKept)]
}

/**
 * Returns a loader for each lane, kept while its plan is the same. Loaders that are no longer used are
 * cancelled.
 */
function useLoaders(
  plans: readonly LanePlan[],
  client: Client,
  zones: Zones
): ReadonlyMap<string, LaneLoader> {
  const kept = useRef(new Map<string, { readonly key: string; readonly loader: LaneLoader }>())
  const loaders = useMemo(() => {
    const newLoaders = new Map<string, { readonly key: string; readonly loader: LaneLoader }>()
    for (const plan of plans) {
      const key = getLoadKey(plan)
      const known = kept.current.get(plan.id)
      newLoaders.set(
        plan.id,
        known?.key === key ? known : { key, loader: new LaneLoader(client, plan, zones) }
      )
    }
    for (const [id, { loader }] of kept.current) if (newLoaders.get(id)?.loader !== loader) loader.end()
    kept.current = newLoaders
    return new Map(Array.from(newLoaders, ([id, { loader }]) => [id, loader]))
  }, [plans, client, zones])
  useEffect(
    () => () => {
      for (const { loader } of kept.current.values()) loader.end()
    },
    []
  )
  return loaders
}

/** Moves the cursor line and its label, at most once per frame; texts for screen readers follow when it stops. */
function drawCursor(
  sheet: HTMLElement,
  flag: HTMLElement,
  model: TimelineModel,
  describe: () => string
): () => void {
  let frame = 0
  let timer: number | undefined
  const show = (): void => {
    frame = 0
    const figure = sheet.querySelector('figure')
    if (!figure) return
    const [outer, inner] = [sheet.getBoundingClientRect(), figure.getBoundingClientRect()]
    const plot = inner.width - getGutter(inner.width)
    const { view } = model
    const time = model.cursor
    const x = Math.min(plot, Math.max(0, toX(time, view.value, plot)))
    sheet.style.setProperty('--x', `${x.toFixed(1)}px`)
    flag.textContent = formatMoment(time, model.zones, getLength(view.value))
    const half = flag.offsetWidth / 2
    const left = inner.left - outer.left + x
    flag.style.left = `${Math.max(inner.left - outer.left + half, Math.min(outer.width - half - 4, left)).toFixed(1)}px`
    flag.style.top = `${(inner.top - outer.top + 4).toFixed(1)}px`
    clearTimeout(timer)
    timer = window.setTimeout(updateAria, 200)
  }
  const updateAria = (): void => {
    const { from, to } = model.view.value
    flag.setAttribute('aria-valuenow', String(Math.round(((model.placedCursor - from) / (to - from)) * 1000)))
    flag.setAttribute('aria-valuetext', describe())
  }
  const schedule = (): void => {
    frame ||= requestAnimationFrame(show)
  }
  const sizes = new ResizeObserver(schedule)
  sizes.observe(sheet)
  const ends = [model.hover.follow(schedule), model.at.follow(schedule), model.view.follow(schedule)]
  schedule()
  return () => {
    for (const end of ends) end()
    sizes.disconnect()
    cancelAnimationFrame(frame)
    clearTimeout(timer)
  }
}

/** Returns the time of the cursor and the values of all lanes there, as text. */
function describeCursor(
  model: TimelineModel,
  {
    loaders,
    plans
  }: { readonly plans: readonly LanePlan[]; readonly loaders: ReadonlyMap<string, LaneLoader> }
): string {
  const view = model.view.value
  const time = model.placedCursor
  const values = plans.flatMap(({ id, name }) => {
    const data = loaders.get(id)?.state.value.data
    const reading = data && readValueAt(data, time, view, model.zones)
    return reading ? [`${name} ${reading.text}`] : []
  })
  return [formatMoment(time, model.zones, getLength(view)), ...values].join('; ')
}

function getZoneName({ zones }: TimelineModel, time: number): string {
  const { zone } = getDayAt(time, zones)
  const name = zone.split('/').at(-1)!.replaceAll('_', ' ')
  return zones.periods.length > 0 ? t('timeline.place', { place: name }) : name
}
