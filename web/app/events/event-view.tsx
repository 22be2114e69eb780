/** Shows one event in cards, with editing, trash, restoring and permanent deletion. */
import { useState } from 'preact/hooks'
import { t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { toPlainText, toPlainLines } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { getStreamColour } from '../data/stream-colours.js'
import { getTypeIcon, isGlucose, formatContentParts, getTypeName } from '../data/event-types.js'
import type { Event, EventTypes } from '../data/model.js'
import { useStore } from '../data/store.js'
import { AppLink } from '../parts/app-link.js'
import { Icon } from '../parts/icon.js'
import { RichText } from '../parts/rich-text.js'
import { OwnerOnly } from '../parts/owner-only.js'
import { formatTime } from '../parts/format-time.js'
import { showToast } from '../parts/toast.js'
import { EventForm } from './event-form.js'
import { EventDetails } from './event-details.js'
import { Files } from './files.js'
import { DeletePermanently } from './delete-permanently.js'
import { History } from './history.js'
import { Integrity } from './integrity-line.js'
import { restoreEvent, trashEvent } from './save-event.js'
import { SeriesStatistics } from './series-statistics.js'

interface Props {
  readonly event: Event
  readonly history: readonly Event[]
  readonly types: EventTypes
  readonly onChanged: (event: Event) => void
  readonly onDeleted: () => void
}

/** Shows an event with its history, or the form that edits it. */
export function EventView({ event, history, types, onChanged, onDeleted }: Props) {
  const account = useAccount()
  const tree = useStore(account.tree)
  const [isEditing, setEditing] = useState(false)
  const [isDeleting, setDeleting] = useState(false)
  const { attachments = [], content, description, id, streamIds, time, type } = event
  const path = tree?.getPath(streamIds[0]!) ?? []
  const stream = path.at(-1)
  const isSeries = type.startsWith('series:')
  const { value, unit } = formatContentParts(type, content, { isGlucose: isGlucose(path) })
  const hasValue = content !== undefined && content !== null && !isSeries
  const isNote = typeof content === 'string' && /^(?:note|url)\//.test(type)
  const refresh = async (): Promise<void> => {
    onChanged((await account.client.call<{ event: Event }>('events.getOne', { id })).event)
  }
  const restore = async (): Promise<void> => {
    await restoreEvent(account, id)
    await refresh()
  }
  const trash = async (): Promise<void> => {
    await trashEvent(account, id)
    await refresh()
    showToast(t('events.trashed'), restore)
  }
  return (
    <div class="event" style={{ '--c': stream ? getStreamColour(stream) : 'var(--slate)' }}>
      <header>
        <p class="path">
          {path.map(each => (
            <AppLink key={each.id} to={{ page: 'streams', id: each.id }}>
              {toPlainText(each.name)}
            </AppLink>
          ))}
        </p>
        <div class="title">
          <span class="sign">
            <Icon name={getTypeIcon(type)} />
          </span>
          <h1>{toPlainText(stream?.name ?? getTypeName(type))}</h1>
        </div>
        <p class="lead">{formatTime(time, { dateStyle: 'full', timeStyle: 'short' })}</p>
      </header>
      {event.trashed && (
        <div class="notice">
          {t('events.inTrash')}
          <OwnerOnly>
            <div class="tools">
              <Action class="square" onClick={restore}>
                {t('shell.restore')}
              </Action>
              <button type="button" class="square danger" onClick={() => setDeleting(true)}>
                {t('shell.deletePermanently')}
              </button>
            </div>
          </OwnerOnly>
        </div>
      )}
      <section class="card what">
        {isEditing ? (
          <EventForm
            types={types}
            type={type}
            event={event}
            onSaved={([saved]) => {
              setEditing(false)
              onChanged(saved!)
              showToast(t('events.changed'))
            }}
            others={
              <button type="button" class="button" onClick={() => setEditing(false)}>
                {t('shell.cancel')}
              </button>
            }
          />
        ) : (
          <>
            {hasValue && !isNote && (
              <p class="value num">
                {value} {unit !== '' && <small>{unit}</small>}
              </p>
            )}
            {isNote && <RichText text={content} />}
            {isSeries && <SeriesStatistics event={event} />}
            {description !== undefined && <RichText text={description} />}
            <EventDetails event={event} types={types} />
            <OwnerOnly>
              <div class="tools">
                <button type="button" class="square" onClick={() => setEditing(true)}>
                  <Icon name="edit" />
                  {t('events.edit')}
                </button>
                {!event.trashed && (
                  <Action class="square" onClick={trash}>
                    <Icon name="trash" />
                    {t('shell.moveToTrash')}
                  </Action>
                )}
              </div>
            </OwnerOnly>
          </>
        )}
      </section>
      <Files event={event} onChanged={onChanged} />
      <History event={event} history={history} />
      <section class="card small">
        <Integrity event={event} />
        <details>
          <summary>{t('events.details')}</summary>
          {event.integrity !== undefined && (
            <p class="hint">
              {t('events.checksum')} <code>{event.integrity}</code>
            </p>
          )}
          <pre tabIndex={0}>{toPlainLines(JSON.stringify(event, undefined, 2))}</pre>
        </details>
      </section>
      {isDeleting && (
        <DeletePermanently
          event={event}
          files={attachments.length}
          versions={history.length}
          onClose={() => setDeleting(false)}
          onDeleted={onDeleted}
        />
      )}
    </div>
  )
}
