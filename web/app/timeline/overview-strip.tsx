/** The overview strip: a year around the view, with a draggable frame. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { useAccount } from '../data/account.js'
import type { Client } from '../data/client.js'
import { createStore, useStore } from '../data/store.js'
import { formatReadings } from '../data/format-values.js'
import { TimeAxis } from '../lanes/axis.js'
import { LaneChart } from '../lanes/chart.js'
import { getLength, toX, minViewLength, type View } from '../lanes/view.js'
import { LaneLoader } from '../lanes/lane-loader.js'
import { getNow, type TimelineModel } from './model.js'
import { getLoadKey, type LanePlan } from '../lanes/plan-lane.js'
import { formatDates } from './titles.js'

const day = 86_400
/** Milliseconds by which loading the strip is delayed in favour of the lanes. */
const loadDelayMs = 500
/** Minimum milliseconds between reloads while changes arrive. */
const minIntervalMs = 5000

interface Props {
  readonly model: TimelineModel
  readonly plan: LanePlan
  readonly client: Client
}

/** Draws the year around the view. Dragging the frame moves the view. */
export function OverviewStrip({ model, plan, client }: Props) {
  const { live } = useAccount()
  const view = useStore(model.view)
  const year = useMemo(() => createStore(getSurroundingYear(view)), [])
  const yearView = useStore(year)
  const key = getLoadKey(plan)
  const loader = useMemo(() => new LaneLoader(client, plan, model.zones), [client, key])
  const { data, range } = useStore(loader.state)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const timer = setTimeout(() => loader.load(yearView, box.current?.clientWidth ?? 600), loadDelayMs)
    return () => clearTimeout(timer)
  }, [loader, yearView])
  useEffect(() => live.follow('events', () => loader.refresh(), minIntervalMs), [loader, live])
  useEffect(() => () => loader.end(), [loader])
  useEffect(() => {
    const newYear = getSurroundingYear(view)
    const isInside =
      view.from >= yearView.from && view.to <= yearView.to && getLength(yearView) < getLength(view) * 400
    if (!isInside || getLength(newYear) < getLength(yearView) * 0.6) year.set(newYear)
  }, [view])

  const [grip, setGrip] = useState<'from' | 'to' | 'frame'>()
  const start = useRef({ x: 0, view })
  const startDrag = (what: 'from' | 'to' | 'frame') => (event: PointerEvent) => {
    event.preventDefault()
    ;(event.currentTarget as HTMLElement).setPointerCapture(event.pointerId)
    event.stopPropagation()
    start.current = { x: event.clientX, view: model.view.value }
    setGrip(what)
  }
  const drag = (event: PointerEvent): void => {
    if (!grip) return
    const { view: startView, x } = start.current
    const by = ((event.clientX - x) / box.current!.clientWidth) * getLength(yearView)
    model.show(moveFrame(startView, grip, by))
  }
  const onKey = (what: 'from' | 'to' | 'frame') => (event: KeyboardEvent) => {
    const direction = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0
    if (direction === 0) return
    event.preventDefault()
    model.show(moveFrame(view, what, direction * Math.max(day, getLength(yearView) / 100)))
  }
  const jump = (event: MouseEvent): void => {
    const { left, width } = box.current!.getBoundingClientRect()
    const middle = yearView.from + ((event.clientX - left) / width) * getLength(yearView)
    model.show({ from: middle - getLength(view) / 2, to: middle + getLength(view) / 2 })
  }
  const from = Math.max(0, toX(view.from, yearView, 100))
  const to = Math.min(100, toX(view.to, yearView, 100))
  const handleProps = (what: 'from' | 'to' | 'frame', label: string, at: number) => ({
    role: 'slider' as const,
    tabIndex: 0,
    'aria-label': label,
    'aria-valuemin': 0,
    'aria-valuemax': 100,
    'aria-valuenow': Math.round(at),
    'aria-valuetext': formatDates(view, model.zones),
    onPointerDown: startDrag(what),
    onPointerMove: drag,
    onPointerUp: () => setGrip(undefined),
    onPointerCancel: () => setGrip(undefined),
    onKeyDown: onKey(what),
    onClick: (event: MouseEvent) => event.stopPropagation()
  })
  return (
    <div class="strip card">
      <p>
        <span>
          <b>
            {getLength(yearView) < 400 * day
              ? t(yearView.to > getNow() - 2 * day ? 'timeline.last.year' : 'timeline.yearAround')
              : t('timeline.wholeRange')}
          </b>
          <span class="how">, {t('timeline.stripHint')}</span>
        </span>
        <span class="num">{formatTotal(data)}</span>
      </p>
      <div class="box" ref={box} onClick={jump}>
        <LaneChart view={year} data={data} range={range} colour={plan.colour} zones={model.zones} isPlain />
        <div class="frame" style={{ left: `${from}%`, width: `${Math.max(0.5, to - from)}%` }}>
          <div class="grip" {...handleProps('frame', t('timeline.stripFrame'), (from + to) / 2)} />
          <i class="end" {...handleProps('from', t('timeline.stripFrom'), from)} />
          <i class="end last" {...handleProps('to', t('timeline.stripTo'), to)} />
        </div>
      </div>
      <div class="ticks">
        <TimeAxis view={year} zones={model.zones} hasGutter={false} />
      </div>
    </div>
  )
}

function formatTotal(data: LaneLoader['state']['value']['data']): string {
  if (data?.kind !== 'band') return ''
  return formatReadings(data.parts.reduce((sum, { count }) => sum + count, 0))
}

/** Returns the year that ends now, or the year around the view; longer if the view is. */
function getSurroundingYear({ from, to }: View): View {
  const year = 365 * day
  const last = Math.ceil(getNow() / day) * day
  if (to - from > year * 0.9) {
    const room = (to - from) * 0.05
    return { from: from - room, to: to + room }
  }
  if (from >= last - year) return { from: Math.max(last, to) - year, to: Math.max(last, to) }
  const middle = Math.round((from + to) / 2 / day) * day
  return { from: middle - year / 2, to: middle + year / 2 }
}

/** Returns the view with its frame, or one end of the frame, moved by seconds. */
function moveFrame({ from, to }: View, what: 'from' | 'to' | 'frame', by: number): View {
  if (what === 'frame') return { from: from + by, to: to + by }
  if (what === 'from') return { from: Math.min(from + by, to - minViewLength), to }
  return { from, to: Math.max(to + by, from + minViewLength) }
}
