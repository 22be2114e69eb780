/** Says in words how two measures go together, and shows the same for other lags. */
import { getLocale, t } from '../../language.js'
import { getMeasureName, type AnyMeasure } from '../data/measures.js'
import type { Lag } from './comparison.js'

type Both = readonly [AnyMeasure, AnyMeasure]

/** Number of days below which a finding is uncertain. */
const fewDays = 30

/** Shows the finding at `lag`, and says so if there are too few days or the direction is unclear. */
export function Finding({ lag, measures }: { readonly lag: Lag; readonly measures: Both }) {
  const { days, high, low, rho } = lag
  const [a, b] = measures.map(getMeasureName) as [string, string]
  const isClear = low !== undefined && high !== undefined && (low > 0 || high < 0)
  return (
    <section class="card finding" aria-live="polite">
      <p class="words">
        {rho === undefined
          ? t('compare.nothing', { a, b })
          : isClear
            ? t(rho > 0 ? 'compare.together' : 'compare.apart', { a, b })
            : t('compare.unclear', { a, b })}
      </p>
      {lag.lag !== 0 && <p>{describeLag(lag.lag, b)}</p>}
      <p class="num">
        {rho !== undefined && low !== undefined && high !== undefined && (
          <>
            {isClear && `${t(`compare.strength.${getStrength(rho)}`)}: `}
            {t('compare.figures', {
              rho: formatNumber(rho),
              low: formatNumber(low),
              high: formatNumber(high)
            })}
            ,{' '}
          </>
        )}
        {t('compare.days', { count: days })}
      </p>
      {days < fewDays && <p class="hint">{t('compare.fewDays')}</p>}
      <p class="hint">{t('compare.many')}</p>
    </section>
  )
}

interface ChoiceProps {
  readonly lags: readonly Lag[]
  readonly value: number
  readonly onChange: (lag: number) => void
  readonly measures: Both
}

/** The correlation for each lag, as bars to choose from. */
export function LagChoice({ lags, value, onChange, measures }: ChoiceProps) {
  const name = getMeasureName(measures[1])
  return (
    <section class="card lags" aria-labelledby="lags">
      <h2 id="lags">{t('compare.lags')}</h2>
      <ul>
        {lags.map(({ lag, rho = 0, low, high }) => (
          <li key={lag}>
            <button type="button" aria-pressed={lag === value} onClick={() => onChange(lag)}>
              <span>{lag === 0 ? t('compare.sameDay') : describeLag(lag, name)}</span>
              <i class={rho < 0 ? 'bar less' : 'bar'} style={{ '--share': String(Math.abs(rho)) }} />
              <span class="num">{low === undefined || high === undefined ? '–' : formatNumber(rho)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

function describeLag(lag: number, name: string): string {
  return t(lag > 0 ? 'compare.later' : 'compare.earlier', { count: Math.abs(lag), name })
}

function getStrength(rho: number): 'moderate' | 'strong' | 'weak' {
  const size = Math.abs(rho)
  return size < 0.3 ? 'weak' : size < 0.6 ? 'moderate' : 'strong'
}

function formatNumber(value: number): string {
  const format = new Intl.NumberFormat(getLocale(), { maximumFractionDigits: 2, minimumFractionDigits: 2 })
  return format.format(value).replace('-', '−')
}
