/** One connection: how to set it up while it is new, what arrives, its options, and ending it. */
import { useEffect, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { Field } from '../../parts/field.js'
import { Form } from '../../parts/form.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { useStore } from '../data/store.js'
import { AppLink } from '../parts/app-link.js'
import { Confirm } from '../parts/confirm.js'
import { formatDay } from '../parts/format-time.js'
import { lazy } from '../parts/lazy.js'
import { showToast } from '../parts/toast.js'
import { buildHref, navigate } from '../route.js'
import { Arrivals } from './arrivals.js'
import { getDialectName } from './connection-list.js'
import { newConnection, type Connection, type Dialect } from './connections.js'
import { MappingCard } from './mapping/mapping-card.js'
import { NewConnectionCard } from './new-connection-card.js'
import { OptionFields, readOptions } from './option-fields.js'

const MoveDialog = lazy(async () => (await import('./move-dialog.js')).MoveDialog)

interface Props {
  readonly connection: Connection
  readonly all: readonly Connection[]
  readonly dialects: readonly Dialect[]
  /** Time of the service, in seconds. */
  readonly now: number
  readonly onChanged: () => void
}

/**
 * Shows the connection. The setup with the token appears only right after creating it, not after leaving.
 * Ending asks first, then opens the list.
 */
export function ConnectionView({ connection, all, dialects, now, onChanged }: Props) {
  const { client, tree: store } = useAccount()
  const tree = useStore(store)
  const created = useStore(newConnection)
  const [isEnding, setEnding] = useState(false)
  const [isMoving, setMoving] = useState(false)
  const { dialect, id, streamId } = connection
  const name = toPlainText(connection.name)
  const app = getDialectName(dialects, connection)
  useEffect(() => {
    document.title = name
  }, [name])
  // A token that the user has left behind is not shown again.
  useEffect(
    () => () => {
      if (newConnection.value?.id === id) newConnection.set(undefined)
    },
    [id]
  )
  return (
    <>
      <header class="head">
        <h1>{name}</h1>
        <p class="when">{t('connect.since', { app, date: formatDay(connection.created) })}</p>
      </header>
      {created?.id === id && (
        <NewConnectionCard connection={created} app={app} onDone={() => newConnection.set(undefined)} />
      )}
      <Arrivals connection={connection} all={all} now={now} />
      {dialect === 'json' && <MappingCard connection={connection} onChanged={onChanged} />}
      <section class="card panel" aria-labelledby="options">
        <h2 id="options">{t('connect.options')}</h2>
        <Form
          isQuiet
          key={`${connection.name} ${connection.sensitive} ${connection.hasPassphrase} ${connection.friends?.join()}`}
          action={t('shell.save')}
          onSubmit={async values => {
            await client.call('connections.update', {
              id,
              update: { name: values['name'], ...readOptions(dialect, values) }
            })
            onChanged()
            showToast(t('connect.saved'))
          }}
        >
          <Field
            name="name"
            label={t('connect.name')}
            input={{ defaultValue: connection.name, maxLength: 100 }}
          />
          <OptionFields
            dialect={dialect}
            isSensitive={connection.sensitive}
            hasPassphrase={connection.hasPassphrase}
            friends={connection.friends}
          />
        </Form>
      </section>
      <section class="card panel" aria-labelledby="end">
        <h2 id="end">{t('connect.dataAndEnd')}</h2>
        <p>{t('connect.dataText', { app })}</p>
        <div class="actions side">
          {tree?.find(streamId) && (
            <AppLink to={{ page: 'streams', id: streamId }} class="button">
              {t('connect.moveOrDelete')}
            </AppLink>
          )}
          <button type="button" class="button" onClick={() => setMoving(true)}>
            {t('connect.move.open')}
          </button>
          <AppLink to={{ page: 'shared', id: connection.accessId }} class="button">
            {t('connect.activity')}
          </AppLink>
          <button type="button" class="button" onClick={() => setEnding(true)}>
            {t('connect.end')}
          </button>
        </div>
      </section>
      {isMoving && <MoveDialog connection={connection} all={all} onClose={() => setMoving(false)} />}
      {isEnding && <EndDialog connection={connection} app={app} onClose={() => setEnding(false)} />}
    </>
  )
}

interface EndProps {
  readonly connection: Connection
  readonly app: string
  readonly onClose: () => void
}

/** Ends a connection after confirmation, because its token cannot be restored. */
function EndDialog({ connection, app, onClose }: EndProps) {
  const { client, username } = useAccount()
  const name = toPlainText(connection.name)
  return (
    <Confirm
      title={t('connect.endTitle', { name })}
      action={t('connect.end')}
      onClose={onClose}
      onConfirm={async () => {
        await client.call('connections.delete', { id: connection.id })
        showToast(t('connect.ended', { name }))
        navigate(buildHref(username, { page: 'connect' }))
      }}
    >
      <p>{t('connect.endText', { app })}</p>
      <p>
        {t('connect.endData')}{' '}
        <AppLink to={{ page: 'streams', id: connection.streamId }}>{t('connect.moveOrDelete')}</AppLink>
      </p>
    </Confirm>
  )
}
