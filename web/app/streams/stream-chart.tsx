/** The chart of a stream's main type over a month, a year, or all time. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { getStreamColour } from '../data/stream-colours.js'
import { getTypeName } from '../data/event-types.js'
import type { Stream } from '../data/model.js'
import { createStore, useStore } from '../data/store.js'
import { formatNumber } from '../data/units.js'
import { TimeAxis } from '../lanes/axis.js'
import { LaneChart } from '../lanes/chart.js'
import type { LaneData } from '../lanes/lane-data.js'
import type { View } from '../lanes/view.js'
import { AppLink } from '../parts/app-link.js'
import { formatDay } from '../parts/format-time.js'
import { Tabs } from '../parts/tabs.js'
import { buildHref, navigate } from '../route.js'
import { LaneLoader } from '../lanes/lane-loader.js'
import { planLane, type LanePlan } from '../lanes/plan-lane.js'

interface Props {
  readonly stream: Stream
  readonly query: URLSearchParams
}

const spans = ['month', 'year', 'all'] as const
const daySeconds = 86_400
/** Assumed width of the chart in pixels, which determines its resolution. */
const pixels = 720

const formatAxisValue = (value: number): string => formatNumber(value, 2)

/**
 * Shows the chart and follows changes; the span is kept in the URL. Renders nothing if the stream has nothing
 * to draw.
 */
export function StreamChart({ stream, query }: Props) {
  const account = useAccount()
  const tree = useStore(account.tree)
  const facts = useStore(account.facts)
  const plan = useMemo(() => tree && planLane(stream, tree, facts), [stream, tree, facts])
  const requested = query.get('span')
  const span = spans.find(each => each === requested) ?? chooseSpan(plan)
  const [view] = useState(() => createStore<View>(createView(span, plan?.first ?? 0, plan?.last ?? 0)))
  const key = plan ? `${plan.kind} ${plan.streamIds.join()} ${plan.types.join()}` : ''
  const zones = { periods: account.zones.value, fallback: Intl.DateTimeFormat().resolvedOptions().timeZone }
  const loader = useMemo(() => plan && new LaneLoader(account.client, plan, zones), [key, account])
  const empty = useMemo(() => createStore({ data: undefined, range: undefined }), [])
  const { data, range } = useStore(loader?.state ?? empty)
  useEffect(() => {
    if (!plan || !loader) return undefined
    view.set(createView(span, plan.first, plan.last))
    loader.load(view.value, pixels)
    return account.live.follow('events', () => loader.refresh(), 2000)
  }, [loader, span])
  useEffect(() => () => loader?.end(), [loader])
  if (!plan) return null
  const [type = ''] = plan.types
  const { unit } = plan
  return (
    <section class="card chart">
      <div class="head">
        <h2>
          {plan.types.length > 1 ? toPlainText(stream.name) : getTypeName(type)}
          {unit !== '' && <small>{unit}</small>}
        </h2>
        <Tabs
          label={t('span.label')}
          choices={spans}
          chosen={span}
          textOf={each => t(`span.${each}`)}
          onChoose={each =>
            navigate(
              buildHref(account.username, { page: 'streams', id: stream.id, query: { span: each } }),
              true
            )
          }
        />
      </div>
      <figure
        aria-label={describeChart(data, view.value, toPlainText(stream.name), unit)}
        aria-busy={data === undefined}
      >
        <LaneChart
          view={view}
          data={data}
          range={range}
          colour={getStreamColour(stream)}
          zones={zones}
          name={formatAxisValue}
        />
      </figure>
      <div class="axis">
        <TimeAxis view={view} zones={zones} />
      </div>
      <p class="hint">
        {describeChart(data, view.value, toPlainText(stream.name), unit)}{' '}
        <AppLink to={{ page: 'timeline', query: { lanes: stream.id } }}>{t('streams.toTimeline')}</AppLink>
      </p>
    </section>
  )
}

/** Returns the shortest span that shows most of the data. */
function chooseSpan(plan: LanePlan | undefined): (typeof spans)[number] {
  const length = plan ? plan.last - plan.first : 0
  return length <= 30 * daySeconds ? 'month' : length <= 365 * daySeconds ? 'all' : 'year'
}

/** Returns the view that ends with the last value, or now if that is recent. */
function createView(span: (typeof spans)[number], first: number, last: number): View {
  const now = Date.now() / 1000
  const end = now - last < 90 * daySeconds ? Math.max(now, last) : last + daySeconds
  const length =
    span === 'month' ? 30 * daySeconds : span === 'year' ? 365 * daySeconds : end - first + daySeconds
  return { from: end - Math.max(daySeconds, length), to: end }
}

/** Describes the chart in a sentence. */
function describeChart(data: LaneData | undefined, view: View, name: string, unit: string): string {
  const range = { from: formatDay(view.from), to: formatDay(view.to) }
  if (data?.kind === 'band' || data?.kind === 'pairs') {
    const parts =
      data.kind === 'band'
        ? data.parts
        : data.bars.map(({ high, low, time }) => ({ time, min: low, max: high }))
    const visible = parts.filter(({ time }) => time >= view.from && time <= view.to)
    if (visible.length > 0) {
      const min = Math.min(...visible.map(part => part.min))
      const max = Math.max(...visible.map(part => part.max))
      return t('streams.between', {
        name,
        min: formatNumber(min, 2),
        max: `${formatNumber(max, 2)} ${unit}`.trim(),
        ...range
      })
    }
  }
  return t('streams.about', { name, ...range })
}
