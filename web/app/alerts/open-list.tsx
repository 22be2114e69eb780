/** Alerts that go on and have not been acknowledged, with a button for each. Shows nothing without alerts. */
import './open-list.css'
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import type { AnyMeasure } from '../data/measures.js'
import { AppLink } from '../parts/app-link.js'
import { formatDateTime } from '../parts/format-time.js'
import { showFailure, showToast } from '../parts/toast.js'
import { describeCondition, type Rule } from './rules.js'

interface Props {
  readonly rules: readonly Rule[]
  readonly measures: ReadonlyMap<string, AnyMeasure>
  readonly onChanged: () => Promise<void>
}

/**
 * Lists the open alerts of `rules`. Acknowledging shows a toast and calls `onChanged`, also after a failure.
 */
export function OpenList({ rules, measures, onChanged }: Props) {
  const { client } = useAccount()
  const open = rules.filter(({ state }) => state.isOpen === true)
  if (open.length === 0) return null
  const acknowledge = async ({ id, state }: Rule): Promise<void> => {
    try {
      await client.call('rules.acknowledge', { id, firedAt: state.firedAt })
      showToast(t('alerts.acknowledged'))
    } catch (error) {
      showFailure(error)
    }
    await onChanged()
  }
  return (
    <section class="card open-alerts" aria-labelledby="open-alerts">
      <h2 id="open-alerts">{t('alerts.open')}</h2>
      <ul>
        {open.map(rule => {
          const name = toPlainText(rule.name)
          const sentence = describeCondition(rule.condition, measures.get(rule.condition.measure ?? ''))
          return (
            <li key={rule.id}>
              <span>
                <AppLink to={{ page: 'alerts', id: rule.id }}>{name}</AppLink>
                <small>
                  {sentence === rule.name ? '' : `${sentence} · `}
                  {t('alerts.since', { when: formatDateTime(rule.state.firedAt ?? 0) })}
                </small>
              </span>
              <button
                type="button"
                class="button"
                aria-label={t('alerts.acknowledgeNamed', { name })}
                onClick={() => void acknowledge(rule)}
              >
                {t('alerts.acknowledge')}
              </button>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
