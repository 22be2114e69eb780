/** Shows a channel: sends a test, lists what was delivered when, renames and removes it. */
import { useState } from 'preact/hooks'
import { t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { Field } from '../../parts/field.js'
import { Form } from '../../parts/form.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { useReading } from '../data/reading.js'
import { Confirm } from '../parts/confirm.js'
import { formatDateTime } from '../parts/format-time.js'
import { ReadProblem } from '../parts/read-problem.js'
import { Skeleton } from '../parts/skeleton.js'
import { buildHref, navigate } from '../route.js'
import { getTypeName, type Channel, type Delivery } from './channels.js'

interface Read {
  readonly channel: Channel
  readonly deliveries: readonly Delivery[]
}

/** Milliseconds between reads while something waits, and otherwise. */
const waitingMs = 1000
const restingMs = 10_000

/**
 * Shows the channel and rereads it at intervals. Sending a test, renaming and removing (which asks first) are
 * calls of their own.
 */
export function ChannelView({ id }: { readonly id: string }) {
  const { client, username } = useAccount()
  const [isRemoving, setRemoving] = useState(false)
  const { problem, read, reread } = useReading(
    async () => await client.call<Read>('channels.getOne', { id }),
    [id],
    { everyMs: found => (isWaiting(found) ? waitingMs : restingMs) }
  )
  if (!read) return problem === undefined ? <Skeleton kind="page" /> : <ReadProblem message={problem} />
  const { channel, deliveries } = read
  const name = toPlainText(channel.name)
  return (
    <>
      <h1>{name}</h1>
      <p class="lead">
        {getTypeName(channel.type)}
        {describeTarget(channel) !== undefined && <span>{`, ${describeTarget(channel)}`}</span>}
      </p>
      {channel.state === 'ended' && (
        <div class="notice bad">
          <p>{t(`channels.ended.${channel.reason ?? 'gone'}`)}</p>
        </div>
      )}
      <div class="actions side">
        {channel.state === 'active' && (
          <Action
            class="button primary"
            onClick={async () => {
              await client.call('channels.test', { id })
              await reread()
            }}
          >
            {t('channels.test')}
          </Action>
        )}
        <button type="button" class="button" onClick={() => setRemoving(true)}>
          {t('channels.remove')}
        </button>
      </div>
      <section class="card panel" aria-labelledby="sent">
        <h2 id="sent">{t('channels.sent')}</h2>
        {deliveries.length === 0 ? (
          <p class="hint">{t('channels.nothingSent')}</p>
        ) : (
          <ul class="deliveries">
            {deliveries.map(delivery => (
              <DeliveryRow key={delivery.id} delivery={delivery} />
            ))}
          </ul>
        )}
      </section>
      <section class="card panel">
        <Form
          action={t('shell.save')}
          isQuiet
          onSubmit={async values => {
            await client.call('channels.update', { id, update: { name: values['name'] } })
            await reread()
          }}
        >
          <Field
            key={name}
            name="name"
            label={t('channels.name')}
            input={{ defaultValue: name, maxLength: 100 }}
          />
        </Form>
      </section>
      {isRemoving && (
        <Confirm
          title={t('channels.removeTitle', { name })}
          action={t('channels.remove')}
          onClose={() => setRemoving(false)}
          onConfirm={async () => {
            await client.call('channels.delete', { id })
            navigate(buildHref(username, { page: 'channels' }), true)
          }}
        >
          <p>{t('channels.removeText')}</p>
        </Confirm>
      )}
    </>
  )
}

/** Returns whether a message has not been delivered yet. */
function isWaiting(read: Read | undefined): boolean {
  return read?.deliveries.some(({ state }) => state === 'waiting') ?? false
}

/** Returns where a channel leads, as far as its name does not tell. */
function describeTarget({ target }: Channel): string | undefined {
  const { address, origin, topic, url } = target as Readonly<Record<string, string | undefined>>
  if (topic !== undefined) return `${url?.replace(/^https?:\/\//, '')}/${topic}`
  return address ?? url ?? origin?.replace(/^https?:\/\//, '')
}

/** Shows what became of one message, and when it is tried again. */
function DeliveryRow({ delivery }: { readonly delivery: Delivery }) {
  const { error, lastAttempt, nextAttempt, queued, state, title } = delivery
  const isLate = state === 'waiting' && lastAttempt !== undefined
  return (
    <li>
      <b>{toPlainText(title) || t('channels.summary')}</b>
      <span class={`state ${state}`}>{t(`channels.state.${isLate ? 'retried' : state}`)}</span>
      <small class="num">{formatDateTime(state === 'delivered' ? (lastAttempt ?? queued) : queued)}</small>
      {error && state !== 'delivered' && (
        <small>
          {explainDelivery(error)}
          {isLate &&
            nextAttempt !== undefined &&
            ` ${t('channels.next', { date: formatDateTime(nextAttempt) })}`}
        </small>
      )}
    </li>
  )
}

function explainDelivery({ id, status }: NonNullable<Delivery['error']>): string {
  if (id === 'refused' && status !== undefined) return t('channels.error.status', { status })
  return t(`channels.error.${id}` as 'channels.error.refused')
}
