/** Growth of the service by day, as charts, texts and a table. */
import { useMemo } from 'preact/hooks'
import { createStore } from '../app/data/store.js'
import { TimeAxis } from '../app/lanes/axis.js'
import { LaneChart } from '../app/lanes/chart.js'
import type { View } from '../app/lanes/view.js'
import { formatSize } from '../app/parts/format-duration.js'
import { formatDay as dayInWords } from '../app/parts/format-time.js'
import { getLanguage, t } from '../language.js'
import { useResource } from './operator-client.js'
import { fileKinds, type GrowthDay } from './model.js'

const daySeconds = 86_400
/** Minimum days shown, so that the first ones are not too wide. */
const minDays = 30
/** Days of the service are in UTC. */
const zone = 'UTC'
const zones = { periods: [], fallback: zone }

/** A measured quantity; `null` on days without a measurement. */
interface Measure {
  readonly key: 'space' | 'accounts' | 'events'
  readonly colour: string
  readonly of: (day: GrowthDay) => number | null
}

const measures: readonly Measure[] = [
  { key: 'space', colour: 'var(--weight)', of: sumSpace },
  { key: 'accounts', colour: 'var(--places)', of: day => day.accounts },
  { key: 'events', colour: 'var(--notes)', of: day => day.events }
]

/** Shows how accounts and stored bytes have grown, by day. */
export function GrowthCharts() {
  const { value } = useResource<{ growth: readonly GrowthDay[] }>('growth')
  const days = value?.growth
  const view = useMemo(() => {
    const to = (days?.at(-1)?.time ?? 0) + daySeconds
    return createStore<View>({ from: Math.min(days?.[0]?.time ?? 0, to - minDays * daySeconds), to })
  }, [days])
  if (!days) return null
  return (
    <section class="card chart">
      <h2>{t('operator.growth')}</h2>
      <p class="hint">{t(days.length === 0 ? 'operator.noGrowth' : 'operator.growthLead')}</p>
      {days.length > 0 && (
        <>
          {measures.map(measure => (
            <Chart key={measure.key} measure={measure} days={days} view={view} />
          ))}
          <div class="axis">
            <TimeAxis view={view} zones={zones} />
          </div>
          <Table days={days} />
        </>
      )}
    </section>
  )
}

interface ChartProps {
  readonly measure: Measure
  readonly days: readonly GrowthDay[]
  readonly view: ReturnType<typeof createStore<View>>
}

/** Shows one figure by day, as a text and a chart; nothing without values. */
function Chart({ measure: { colour, key, of }, days, view }: ChartProps) {
  const parts = days.flatMap(each => {
    const amount = of(each)
    return amount === null ? [] : [{ time: each.time, count: 1, min: amount, max: amount, mean: amount }]
  })
  const [first, last] = [parts[0], parts.at(-1)]
  if (!first || !last) return null
  const text = t(first === last ? 'operator.grownOnce' : 'operator.grownSaid', {
    first: formatAmount(key, first.mean),
    from: dayInWords(first.time, zone),
    last: formatAmount(key, last.mean),
    to: dayInWords(last.time, zone)
  })
  return (
    <>
      <h3>{t(`operator.grown.${key}`)}</h3>
      <p class="hint">{text}</p>
      <figure aria-label={`${t(`operator.grown.${key}`)}: ${text}`}>
        <LaneChart
          view={view}
          data={{ kind: 'band', parts, step: daySeconds, isAmount: true }}
          range={{ low: 0, high: Math.max(1, ...parts.map(({ max }) => max)) * 1.08 }}
          colour={colour}
          zones={zones}
          // Short, because there is little space for labels.
          name={amount => (amount === 0 ? '0' : formatAmount(key, amount))}
        />
      </figure>
    </>
  )
}

/** The same data as a table, latest day first. */
function Table({ days }: { readonly days: readonly GrowthDay[] }) {
  return (
    <details>
      <summary>{t('operator.growthTable')}</summary>
      <div class="growth" tabIndex={0} role="region" aria-label={t('operator.growth')}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t('operator.day')}</th>
              {measures.map(({ key }) => (
                <th key={key} scope="col">
                  {t(`operator.grown.${key}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map(each => (
              <tr key={each.time}>
                <th scope="row">{dayInWords(each.time, zone)}</th>
                {measures.map(({ key, of }) => {
                  const amount = of(each)
                  return (
                    <td key={key} class="num">
                      {amount === null ? '–' : formatAmount(key, amount)}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}

/** Returns the bytes of all kinds of files; `null` if the day was not measured. */
function sumSpace(day: GrowthDay): number | null {
  return fileKinds.reduce<number | null>((sum, kind) => {
    const bytes = day[kind]
    return sum === null || bytes === null ? null : sum + bytes
  }, 0)
}

function formatAmount(key: Measure['key'], amount: number): string {
  return key === 'space' ? formatSize(amount) : new Intl.NumberFormat(getLanguage()).format(amount)
}
