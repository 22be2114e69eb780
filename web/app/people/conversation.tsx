/** The messages between both accounts: chats, notices and requests for more. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { toPlainLines } from '../../plain-text.js'
import { Action } from '../../parts/action.js'
import { Form } from '../../parts/form.js'
import { useAccount } from '../data/account.js'
import { useReading } from '../data/reading.js'
import type { Event } from '../data/model.js'
import { formatDateTime, formatDay } from '../parts/format-time.js'
import { ReadProblem } from '../parts/read-problem.js'
import { describeFailure } from './failures.js'
import { getStreams, pickText, types, writeEvent, type Relationship } from './people.js'
import { ScopeRequest } from './scope-request.js'

/** Milliseconds between two reads while messages arrive. */
const minIntervalMs = 300
/** Number of messages that are read at once. */
const pageSize = 50
const shownTypes = [types.chat, types.alert, types.ack, types.scopeRequest, types.scopeUpdate]

/** What contents of messages may say. */
interface MessageContent {
  readonly content?: string
  readonly level?: string
  readonly title?: unknown
  readonly body?: unknown
  readonly ackRequired?: boolean
  readonly ackId?: string
  readonly alertEventId?: string
  readonly scopeRequestEventId?: string
  readonly accept?: boolean
  /** The new end of the access, in seconds; `null` for none. */
  readonly expires?: number | null
  readonly from?: object
  readonly status?: string
  readonly failure?: { readonly reason?: string }
}

/**
 * Shows the latest messages and follows changes, with earlier ones on demand. The form that sends a chat needs
 * `canChat`.
 */
export function Conversation({ relationship }: { readonly relationship: Relationship }) {
  const account = useAccount()
  const { canChat, name } = relationship
  const { chats, collectors } = getStreams(relationship)
  const [limit, setLimit] = useState(pageSize)
  const [draft, setDraft] = useState('')
  const end = useRef<HTMLOListElement>(null)
  const { read, problem, reread } = useReading(
    async () =>
      await account.client.call<{ events: readonly Event[] }>('events.get', {
        streams: [chats, collectors],
        types: shownTypes,
        limit
      }),
    [chats, limit],
    { followMs: minIntervalMs }
  )
  const events = read?.events.toReversed()
  useEffect(() => {
    end.current?.lastElementChild?.scrollIntoView({ block: 'nearest' })
  }, [events?.length])
  if (problem !== undefined && !events) return <ReadProblem message={problem} />
  return (
    <section class="card panel conversation" aria-labelledby="conversation">
      <h2 id="conversation">{t('people.messages')}</h2>
      {events && events.length >= limit && (
        <button type="button" class="button" onClick={() => setLimit(limit + pageSize)}>
          {t('people.earlier')}
        </button>
      )}
      {events?.length === 0 && <p class="hint">{t('people.noMessages', { name })}</p>}
      <ol ref={end} aria-live="polite">
        {events?.map(event => (
          <MessageLine
            key={event.id}
            event={event}
            all={events}
            relationship={relationship}
            collectors={collectors}
            onAnswered={() => void reread()}
          />
        ))}
      </ol>
      {canChat ? (
        <Form
          action={t('people.send')}
          onSubmit={async () => {
            const content = draft.trim()
            if (content === '') return
            await writeEvent(account, chats, types.chat, { content })
            setDraft('')
            void reread()
          }}
        >
          <div class="field">
            <label for="message" class="unseen">
              {t('people.message')}
            </label>
            <textarea
              id="message"
              rows={2}
              maxLength={10_000}
              placeholder={t('people.messageTo', { name })}
              value={draft}
              onInput={event => setDraft(event.currentTarget.value)}
            />
          </div>
        </Form>
      ) : (
        <p class="hint">{t('people.noChat')}</p>
      )}
    </section>
  )
}

interface LineProps {
  readonly event: Event
  readonly all: readonly Event[]
  readonly relationship: Relationship
  readonly collectors: string
  readonly onAnswered: () => void
}

/** Shows a message by its type, and what can be answered to it. */
function MessageLine({ event, all, relationship, collectors, onAnswered }: LineProps) {
  const account = useAccount()
  const content = (event.content ?? {}) as MessageContent
  const isTheirs = content.from !== undefined
  const isAcknowledged = all.some(
    each => (each.content as MessageContent | undefined)?.alertEventId === event.id
  )
  return (
    <li class={isTheirs ? 'theirs' : 'mine'}>
      <div class={event.type === types.alert ? `bubble alert ${toLevel(content.level)}` : 'bubble'}>
        {event.type === types.chat && <p>{toPlainLines(content.content ?? '')}</p>}
        {event.type === types.alert && (
          <>
            <b>{pickText(content.title)}</b>
            <p>{pickText(content.body)}</p>
            {isTheirs && content.ackRequired === true && !isAcknowledged && (
              <Action
                class="button"
                onClick={async () => {
                  await writeEvent(account, collectors, types.ack, {
                    alertEventId: event.id,
                    ackId: content.ackId ?? event.id
                  })
                  onAnswered()
                }}
              >
                {t('people.acknowledge')}
              </Action>
            )}
          </>
        )}
        {event.type === types.ack && (
          <p>{t(isTheirs ? 'people.theyAcknowledged' : 'people.youAcknowledged')}</p>
        )}
        {event.type === types.scopeRequest && (
          <ScopeRequest
            event={event}
            relationship={relationship}
            isAnswered={all.some(
              each => (each.content as MessageContent | undefined)?.scopeRequestEventId === event.id
            )}
            onAnswered={onAnswered}
          />
        )}
        {event.type === types.scopeUpdate && <p>{describeUpdate(content, isTheirs)}</p>}
      </div>
      <small>
        {formatDateTime(event.time)}
        {!isTheirs && content.status === 'failed' && `, ${describeFailure(content.failure?.reason)}`}
        {!isTheirs &&
          (content.status === 'pending' || content.status === 'delivered') &&
          `, ${t('people.sending')}`}
      </small>
    </li>
  )
}

function describeUpdate({ accept, expires }: MessageContent, isTheirs: boolean): string {
  if (accept === false) return t(isTheirs ? 'people.theyDeclined' : 'people.youDeclined')
  const change = t(isTheirs ? 'people.theyChanged' : 'people.youChanged')
  return typeof expires === 'number'
    ? `${change}, ${t('shell.until', { date: formatDay(expires - 1) })}`
    : change
}

function toLevel(level: string | undefined): string {
  return level === 'critical' || level === 'warning' ? level : 'info'
}
