/** The overview strip: a year around the view, with a draggable frame. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { useAccount } from '../data/account.js'
import type { Client } from '../data/client.js'
import { colourOf } from '../data/colours.js'
import { storeOf, useStore } from '../data/store.js'
import { TimeAxis } from '../lanes/axis.js'
import { LaneChart } from '../lanes/chart.js'
import { lengthOf, place, shortest, type View } from '../lanes/scale.js'
import { LaneLoader } from '../lanes/lane-loader.js'
import { now, type Model } from './model.js'
import type { Plan } from '../lanes/plan.js'
import { datesOf } from './titles.js'

const day = 86_400
/** Milliseconds by which loading the strip is delayed in favour of the lanes. */
const patience = 500
/** Minimum milliseconds between reloads while changes arrive. */
const spacing = 5000

interface Props {
  readonly model: Model
  readonly plan: Plan
  readonly client: Client
}

export function Strip({ model, plan, client }: Props) {
  const { live } = useAccount()
  const seen = useStore(model.view)
  const year = useMemo(() => storeOf(aroundOf(seen)), [])
  const shown = useStore(year)
  const key = JSON.stringify([plan.kind, plan.streamIds, plan.types])
  const loader = useMemo(() => new LaneLoader(client, plan), [client, key])
  const { data, range } = useStore(loader.shown)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const timer = setTimeout(() => loader.look(shown, box.current?.clientWidth ?? 600), patience)
    return () => clearTimeout(timer)
  }, [loader, shown])
  useEffect(() => live.follow('events', () => loader.refresh(), spacing), [loader, live])
  useEffect(() => () => loader.end(), [loader])
  useEffect(() => {
    const next = aroundOf(seen)
    const isIn = seen.from >= shown.from && seen.to <= shown.to && lengthOf(shown) < lengthOf(seen) * 400
    if (!isIn || lengthOf(next) < lengthOf(shown) * 0.6) year.set(next)
  }, [seen])

  const [grip, setGrip] = useState<'from' | 'to' | 'frame'>()
  const start = useRef({ x: 0, view: seen })
  const begin = (what: 'from' | 'to' | 'frame') => (event: PointerEvent) => {
    event.preventDefault()
    ;(event.currentTarget as HTMLElement).setPointerCapture(event.pointerId)
    event.stopPropagation()
    start.current = { x: event.clientX, view: model.view.value }
    setGrip(what)
  }
  const drag = (event: PointerEvent): void => {
    if (!grip) return
    const { view, x } = start.current
    const by = ((event.clientX - x) / box.current!.clientWidth) * lengthOf(shown)
    model.show(moved(view, grip, by))
  }
  const press = (what: 'from' | 'to' | 'frame') => (event: KeyboardEvent) => {
    const direction = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0
    if (direction === 0) return
    event.preventDefault()
    model.show(moved(seen, what, direction * Math.max(day, lengthOf(shown) / 100)))
  }
  const jump = (event: MouseEvent): void => {
    const { left, width } = box.current!.getBoundingClientRect()
    const middle = shown.from + ((event.clientX - left) / width) * lengthOf(shown)
    model.show({ from: middle - lengthOf(seen) / 2, to: middle + lengthOf(seen) / 2 })
  }
  const from = Math.max(0, place(seen.from, shown, 100))
  const to = Math.min(100, place(seen.to, shown, 100))
  const handle = (what: 'from' | 'to' | 'frame', label: string, at: number) => ({
    role: 'slider' as const,
    tabIndex: 0,
    'aria-label': label,
    'aria-valuemin': 0,
    'aria-valuemax': 100,
    'aria-valuenow': Math.round(at),
    'aria-valuetext': datesOf(seen, model.zones),
    onPointerDown: begin(what),
    onPointerMove: drag,
    onPointerUp: () => setGrip(undefined),
    onPointerCancel: () => setGrip(undefined),
    onKeyDown: press(what),
    onClick: (event: MouseEvent) => event.stopPropagation()
  })
  return (
    <div class="strip card">
      <p>
        <span>
          <b>
            {lengthOf(shown) < 400 * day
              ? t(shown.to > now() - 2 * day ? 'timeline.last.year' : 'timeline.yearAround')
              : t('timeline.wholeRange')}
          </b>
          <span class="how">, {t('timeline.stripHint')}</span>
        </span>
        <span class="num">{totalOf(data)}</span>
      </p>
      <div class="box" ref={box} onClick={jump}>
        <LaneChart
          view={year}
          data={data}
          range={range}
          colour={colourOf(plan.stream)}
          zones={model.zones}
          isPlain
        />
        <div class="frame" style={{ left: `${from}%`, width: `${Math.max(0.5, to - from)}%` }}>
          <div class="grip" {...handle('frame', t('timeline.stripFrame'), (from + to) / 2)} />
          <i class="end" {...handle('from', t('timeline.stripFrom'), from)} />
          <i class="end last" {...handle('to', t('timeline.stripTo'), to)} />
        </div>
      </div>
      <div class="ticks">
        <TimeAxis view={year} zones={model.zones} hasGutter={false} />
      </div>
    </div>
  )
}

function totalOf(data: LaneLoader['shown']['value']['data']): string {
  if (data?.kind !== 'band') return ''
  return t('shell.pointCount', { count: data.parts.reduce((sum, { count }) => sum + count, 0) })
}

/** Returns the year that ends now, or the year around the view; longer if the view is. */
function aroundOf({ from, to }: View): View {
  const year = 365 * day
  const last = Math.ceil(now() / day) * day
  if (to - from > year * 0.9) {
    const room = (to - from) * 0.05
    return { from: from - room, to: to + room }
  }
  if (from >= last - year) return { from: Math.max(last, to) - year, to: Math.max(last, to) }
  const middle = Math.round((from + to) / 2 / day) * day
  return { from: middle - year / 2, to: middle + year / 2 }
}

function moved({ from, to }: View, what: 'from' | 'to' | 'frame', by: number): View {
  if (what === 'frame') return { from: from + by, to: to + by }
  if (what === 'from') return { from: Math.min(from + by, to - shortest), to }
  return { from, to: Math.max(to + by, from + shortest) }
}
