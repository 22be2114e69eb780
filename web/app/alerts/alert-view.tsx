/** Shows an alert: its state, when it would have fired, pausing and removing it. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { toPlainText } from '../../plain-text.js'
import { ChannelChoice } from '../channels/channel-choice.js'
import { useAccount } from '../data/account.js'
import type { AnyMeasure } from '../data/measures.js'
import { useStore } from '../data/store.js'
import { getAccessName } from '../parts/access-name.js'
import { AppLink } from '../parts/app-link.js'
import { Confirm } from '../parts/confirm.js'
import { formatDateTime } from '../parts/format-time.js'
import { ReadProblem } from '../parts/read-problem.js'
import { Skeleton } from '../parts/skeleton.js'
import { buildHref, navigate } from '../route.js'
import { describeCondition, describeQuiet, describeState, useRule } from './rules.js'

/** Days of the test, and number of firings that are listed. */
const testedDays = 30
const shownFirings = 10

interface Firing {
  /** Seconds. */
  readonly time: number
}

interface Props {
  readonly id: string
  /** False if the list of alerts does not have it. */
  readonly isKnown: boolean
  readonly measures: ReadonlyMap<string, AnyMeasure>
  /** True if a notification has opened it with this answer. */
  readonly isAcknowledging: boolean
}

/**
 * Shows the alert and its buttons; if it cannot be read and is not in the list, says that it is gone. Removing
 * asks first, then opens the list.
 */
export function AlertView({ id, isAcknowledging, isKnown, measures }: Props) {
  const account = useAccount()
  const { client, username } = account
  const accesses = useStore(account.accesses)
  const waiting = useRef<HTMLParagraphElement>(null)
  const { read, problem, reread } = useRule(id)
  const [firings, setFirings] = useState<readonly Firing[]>()
  const [isRemoving, setRemoving] = useState(false)
  const isOpen = read?.rule.state.isOpen === true
  useEffect(() => {
    if (isOpen && isAcknowledging) waiting.current?.querySelector('button')?.focus()
  }, [isOpen, isAcknowledging])
  if (problem !== undefined && !(read && isKnown))
    return isKnown ? <ReadProblem message={problem} /> : <p>{t('alerts.gone')}</p>
  if (!read) return <Skeleton kind="page" />
  const { rule } = read
  const name = toPlainText(rule.name)
  const sentence = describeCondition(rule.condition, measures.get(rule.condition.measure ?? ''))
  const quiet = describeQuiet(rule)
  const update = async (change: Readonly<Record<string, unknown>>): Promise<void> => {
    await client.call('rules.update', { id, update: change })
    await reread()
  }
  const test = async (): Promise<void> => {
    const to = Date.now() / 1000
    const params = { id, from: to - testedDays * 86_400, to }
    setFirings((await client.call<{ firings: readonly Firing[] }>('rules.test', params)).firings)
  }
  return (
    <>
      <h1>{name}</h1>
      {sentence !== rule.name && <p class="lead">{sentence}</p>}
      {quiet !== '' && <p class="hint">{quiet}</p>}
      <p class={rule.isActive && rule.state.isFiring ? 'state firing' : 'state'}>{describeState(rule)}</p>
      {isOpen && (
        <p ref={waiting}>
          <Action
            class="button primary"
            onClick={async () => {
              await client.call('rules.acknowledge', { id, firedAt: rule.state.firedAt })
              await reread()
            }}
          >
            {t('alerts.acknowledge')}
          </Action>
        </p>
      )}
      {rule.state.acknowledgedAt !== undefined && (
        <p class="hint">
          {t('alerts.acknowledgedBy', {
            who: getAccessName(rule.state.acknowledgedBy ?? '', accesses, account.info.id),
            date: formatDateTime(rule.state.acknowledgedAt)
          })}
        </p>
      )}
      {rule.state.tellAt !== undefined && (
        <p class="hint">{t('alerts.later', { date: formatDateTime(rule.state.tellAt) })}</p>
      )}
      <div class="actions side">
        <Action onClick={test}>{t('alerts.test', { days: testedDays })}</Action>
        <AppLink to={{ page: 'alerts', id, query: { edit: '1' } }} class="button">
          {t('alerts.edit')}
        </AppLink>
        <Action onClick={async () => await update({ isActive: !rule.isActive })}>
          {rule.isActive ? t('alerts.pause') : t('alerts.resume')}
        </Action>
        <button type="button" class="button" onClick={() => setRemoving(true)}>
          {t('alerts.remove')}
        </button>
      </div>
      {firings && (
        <section class="card panel" aria-live="polite">
          <p>
            {firings.length === 0
              ? t('alerts.wouldNot', { days: testedDays })
              : t('alerts.would', { count: firings.length, days: testedDays })}
          </p>
          <ul class="list num">
            {firings.slice(-shownFirings).map(({ time }) => (
              <li key={time}>{formatDateTime(time)}</li>
            ))}
          </ul>
        </section>
      )}
      <section class="card panel">
        <ChannelChoice
          value={rule.channelIds}
          onChange={channelIds => void update({ channelIds }).catch(() => void reread())}
        />
      </section>
      {isRemoving && (
        <Confirm
          title={t('alerts.removeTitle', { name })}
          action={t('alerts.remove')}
          onClose={() => setRemoving(false)}
          onConfirm={async () => {
            await client.call('rules.delete', { id })
            navigate(buildHref(username, { page: 'alerts' }), true)
          }}
        >
          <p>{t('alerts.removeText')}</p>
        </Confirm>
      )}
    </>
  )
}
