/** A lane: its name, latest value and audience, and its chart. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { explainError } from '../../explain-error.js'
import { getStreamColour } from '../data/stream-colours.js'
import { isOfflineError } from '../data/reachable.js'
import { useStore } from '../data/store.js'
import { LaneChart } from '../lanes/chart.js'
import type { Span } from '../lanes/draw-lane.js'
import { getPadding } from '../lanes/value-scale.js'
import type { ValueRange } from '../lanes/value-range.js'
import { getGutter } from '../lanes/surface.js'
import { AppLink } from '../parts/app-link.js'
import { Icon } from '../parts/icon.js'
import { lazy } from '../parts/lazy.js'
import { Menu } from '../parts/menu.js'
import { OwnerOnly } from '../parts/owner-only.js'
import { openAddDialog } from '../shell/adding.js'
import type { LaneLoader } from '../lanes/lane-loader.js'
import { settleMs, type TimelineModel } from './model.js'
import type { LanePlan } from '../lanes/plan-lane.js'
import { describeAmount, getLatestValue, readValueAt, describeLane } from './describe-lane.js'
import { formatRounded, formatCompact } from '../data/format-values.js'
import { LaneAudience } from './lane-audience.js'

interface Props {
  readonly plan: LanePlan
  readonly loader: LaneLoader
  readonly model: TimelineModel
  readonly spans: readonly Span[]
  readonly isFirst: boolean
  readonly isLast: boolean
  readonly onHide: () => void
  readonly onMove: (by: 1 | -1) => void
}

const formatAxisValue = (value: number): string =>
  Math.abs(value) < 10_000 ? formatRounded(value) : formatCompact(value)

const TableOf = lazy(async () => (await import('./later.js')).LaneTable)

/** Shows a lane as a chart, or as a table of its values. */
export function LaneView({ plan, loader, model, spans, isFirst, isLast, onHide, onMove }: Props) {
  const { name, stream } = plan
  const figure = useRef<HTMLElement>(null)
  const { data, problem, range } = useStore(loader.state)
  const [isTable, setTable] = useState(false)
  const settledView = useSettledView(model)
  const colour = getStreamColour(stream)

  useEffect(() => {
    let timer: number | undefined
    const load = (): void => {
      const width = figure.current?.clientWidth ?? 600
      loader.load(model.view.value, width - getGutter(width))
    }
    load()
    const end = model.view.follow(() => {
      clearTimeout(timer)
      timer = window.setTimeout(load, settleMs)
    })
    return () => {
      end()
      clearTimeout(timer)
    }
  }, [loader, model])
  useEffect(() => model.setLaneData(stream.id, data, findSpans(data, name)), [data])
  useEffect(() => () => model.setLaneData(stream.id, undefined, []), [])

  const latest = useMemo(
    () => getLatestValue(plan, data, settledView, model.zones),
    [plan, data, settledView]
  )
  const about = useMemo(() => describeAmount(plan, data, settledView, model.zones), [plan, data, settledView])
  const sentence = useMemo(
    () => describeLane(plan, data, settledView, model.zones),
    [plan, data, settledView]
  )
  return (
    <section class={`lane ${plan.kind}${isFirst ? ' first' : ''}`} style={{ '--c': colour }}>
      <header>
        <h2>
          <AppLink to={{ page: 'streams', id: stream.id }}>{name}</AppLink>
        </h2>
        <Menu label={t('timeline.laneMenu', { name })} button={<Icon name="more" />}>
          <AppLink to={{ page: 'streams', id: stream.id }}>
            <Icon name="tree" />
            {t('timeline.open')}
          </AppLink>
          <OwnerOnly>
            <button
              type="button"
              onClick={() =>
                openAddDialog({ streamId: plan.streamIds[0] ?? stream.id, type: plan.types[0]! })
              }
            >
              <Icon name="plus" />
              {t('timeline.addValue', { name })}
            </button>
          </OwnerOnly>
          <button type="button" onClick={() => setTable(true)}>
            <Icon name="table" />
            {t('timeline.table')}
          </button>
          {!isFirst && (
            <button type="button" onClick={() => onMove(-1)}>
              <Icon name="up" />
              {t('timeline.up')}
            </button>
          )}
          {!isLast && (
            <button type="button" onClick={() => onMove(1)}>
              <Icon name="down" />
              {t('timeline.down')}
            </button>
          )}
          <button type="button" onClick={onHide}>
            <Icon name="close" />
            {t('timeline.hide')}
          </button>
        </Menu>
        {latest && (
          <p class="latest">
            <b class="num">{latest.value}</b> <span class="num">{latest.detail}</span>
          </p>
        )}
        <p class="about num">
          {problem !== undefined && !isOfflineError(problem)
            ? explainError(problem).message
            : latest === undefined || plan.kind === 'series'
              ? about
              : ''}
        </p>
        <LaneAudience plan={plan} />
      </header>
      <figure
        ref={figure}
        data-lane={stream.id}
        aria-label={sentence}
        aria-busy={data === undefined && problem === undefined}
      >
        <LaneChart
          view={model.view}
          data={data}
          range={range}
          colour={colour}
          zones={model.zones}
          spans={spans}
          isFirst={isFirst}
          name={formatAxisValue}
        />
        <LaneCursor plan={plan} loader={loader} model={model} isFirst={isFirst} />
      </figure>
      {isTable && (
        <TableOf
          plan={plan}
          data={data}
          view={settledView}
          zones={model.zones}
          onClose={() => setTable(false)}
        />
      )}
    </section>
  )
}

/** The cursor in a lane, with the value at its position. */
function LaneCursor({ plan, loader, model, isFirst }: Pick<Props, 'plan' | 'loader' | 'model' | 'isFirst'>) {
  const line = useRef<HTMLElement>(null)
  const { data, range } = useStore(loader.state)
  useStore(model.hover)
  useStore(model.at)
  const view = useStore(model.view)
  const time = model.cursor
  const reading = data && readValueAt(data, time, view, model.zones)
  const y = reading?.value !== undefined && range ? toCssPosition(reading.value, range, isFirst) : undefined
  const isRightAligned = (time - view.from) / (view.to - view.from) > (y === undefined ? 0.6 : 0.8)
  return (
    <i ref={line} class={isRightAligned ? 'needle late' : 'needle'} aria-hidden="true">
      {y !== undefined && <b style={{ top: y }} />}
      {reading && (
        <span
          style={{
            top:
              y === undefined
                ? getCaptionTop(plan)
                : `clamp(${isFirst ? 34 : 10}px, ${y} - 13px, 100% - 10px)`
          }}
        >
          {reading.text}
        </span>
      )}
    </i>
  )
}

/** Returns the y position of a caption without a value: below the icons of a lane, which are in its middle. */
function getCaptionTop({ kind }: LanePlan): string {
  return kind === 'marks' ? 'min(50% + 24px, 100% - 10px)' : '50%'
}

/** Returns the y position of a value as a CSS expression, for any height of the lane. */
function toCssPosition(value: number, { high, low }: ValueRange, isFirst: boolean): string {
  const { bottom, top } = getPadding(isFirst)
  const share = (value - low) / (high - low || 1)
  return `calc(100% - ${bottom}px - (100% - ${top + bottom}px) * ${share.toFixed(4)})`
}

/** Returns the view once it stops moving, because texts are too slow to compute for each frame. */
function useSettledView(model: TimelineModel) {
  const [view, setView] = useState(model.view.value)
  useEffect(() => {
    let timer: number | undefined
    setView(model.view.value)
    const end = model.view.follow(newView => {
      clearTimeout(timer)
      timer = window.setTimeout(() => setView(newView), settleMs)
    })
    return () => {
      end()
      clearTimeout(timer)
    }
  }, [model])
  return view
}

/** Returns named spans for events longer than a day. */
function findSpans(data: LaneLoader['state']['value']['data'], name: string): Span[] {
  if (data?.kind !== 'marks') return []
  return data.marks
    .filter(({ end, time }) => end - time > 86_400)
    .map(({ end, id, label, time }) => ({
      from: time,
      to: end,
      label: toPlainText(label) || name,
      ...(id === undefined ? {} : { id })
    }))
}
