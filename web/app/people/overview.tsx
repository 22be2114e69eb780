/** All people with whom the user shares, the requests under way, and what can be done next. */
import { useEffect, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { Action } from '../../parts/action.js'
import { Field } from '../../parts/field.js'
import { Form } from '../../parts/form.js'
import { useAccount } from '../data/account.js'
import { useReading } from '../data/reading.js'
import type { Access, Event } from '../data/model.js'
import { useStore } from '../data/store.js'
import { AppLink } from '../parts/app-link.js'
import { formatDay } from '../parts/format-time.js'
import { Icon } from '../parts/icon.js'
import { ReadProblem } from '../parts/read-problem.js'
import { Skeleton } from '../parts/skeleton.js'
import { buildHref, navigate } from '../route.js'
import { describeFailure } from './failures.js'
import { keepAsked } from './asked.js'
import { LatestValue, useLatestEvents, type Latest } from './latest-values.js'
import {
  formatPerson,
  pickText,
  readRequests,
  toRelationship,
  types,
  writeEvent,
  type Person,
  type Relationship,
  type RequestContent
} from './people.js'

/** Milliseconds between two reads while changes arrive. */
const minIntervalMs = 1000

/**
 * Shows the lists and follows changes. Open requests can be closed, refused ones dismissed, which deletes them.
 */
export function Overview() {
  const account = useAccount()
  const accesses = useStore(account.accesses)
  const {
    read: requests,
    problem,
    reread
  } = useReading(async () => await readRequests(account), [], {
    followMs: minIntervalMs
  })
  const relationships = accesses.flatMap(access => toRelationship(access) ?? [])
  const latest = useLatestEvents(relationships.some(({ seesMine }) => !seesMine))
  if (!requests) return problem === undefined ? <Skeleton kind="page" /> : <ReadProblem message={problem} />
  const open = requests.filter(isOpen)
  return (
    <div class="column">
      <h1>{t('people.title')}</h1>
      <p class="lead">{t('people.lead')}</p>
      <PausedNotice />
      <div class="actions side">
        <AppLink to={{ page: 'people', id: 'ask' }} class="button primary">
          {t('people.ask')}
        </AppLink>
      </div>
      {relationships.length > 0 && (
        <section class="card list" aria-labelledby="people-all">
          <h2 id="people-all">{t('shell.people')}</h2>
          <ul>
            {relationships.map(each => (
              <PersonLine key={each.access.id} relationship={each} latest={latest.get(each.access.id)} />
            ))}
          </ul>
        </section>
      )}
      {open.length > 0 && (
        <section class="card list" aria-labelledby="people-open">
          <h2 id="people-open">{t('people.open')}</h2>
          <ul>
            {open.map(event => (
              <li key={event.id}>
                {event.type === types.request ? (
                  <OfferLine event={event} onChanged={() => void reread()} />
                ) : (
                  <AcceptanceLine event={event} />
                )}
              </li>
            ))}
          </ul>
        </section>
      )}
      <OpenRequest />
    </div>
  )
}

/** Shows a person, who sees whose data, and the latest value. */
function PersonLine({
  relationship,
  latest
}: {
  readonly relationship: Relationship
  readonly latest: Latest | undefined
}) {
  const { access, isGone, name, person, seesMine } = relationship
  return (
    <li>
      <AppLink to={{ page: 'people', id: access.id }} class="person">
        <span class="face" aria-hidden="true">
          {name.charAt(0).toUpperCase()}
        </span>
        <span>
          <b>{name}</b>
          <small>{formatPerson(person)}</small>
          <small>
            {t(isGone ? 'people.gone' : seesMine ? 'people.seesYours' : 'people.youSee')}
            {seesMine && ` · ${describeLastLook(access)}`}
          </small>
          {latest && <LatestValue {...latest} />}
        </span>
        <Icon name="right" />
      </AppLink>
    </li>
  )
}

/** Says when the other account has last used its access. Messages are sent with it, too. */
function describeLastLook({ lastUsed }: Access): string {
  return lastUsed === undefined
    ? t('people.neverLooked')
    : t('people.lastLook', { date: formatDay(lastUsed) })
}

/** Returns whether a request waits for an answer, or an acceptance has not been completed. */
function isOpen({ content, trashed, type }: Event): boolean {
  const {
    capabilityExpiresAt = Infinity,
    capability,
    invalidatedAt,
    refusedBy,
    status
  } = content as RequestContent
  if (trashed === true) return false
  if (type === types.accept) return status !== 'completed'
  if (refusedBy) return true
  const isAnswered = status === 'completed' && capability?.mode !== 'open-link'
  return !isAnswered && invalidatedAt === undefined && capabilityExpiresAt > Date.now() / 1000
}

/** A request that the user has made: it can be shown again or closed. */
function OfferLine({ event, onChanged }: { readonly event: Event; readonly onChanged: () => void }) {
  const account = useAccount()
  const {
    acceptedCount = 0,
    capabilityExpiresAt,
    capabilityId,
    refusedBy,
    request
  } = event.content as RequestContent
  const isRefused = refusedBy !== undefined
  return (
    <>
      <span>
        <b>{pickText(request.title)}</b>
        <small>
          {isRefused
            ? t('people.refusedBy', { name: formatPerson(refusedBy) })
            : t('people.waiting', { date: formatDay(capabilityExpiresAt ?? 0) })}
          {acceptedCount > 0 && ` ${t('people.accepted', { count: acceptedCount })}`}
        </small>
      </span>
      <span class="actions side">
        {!isRefused && (
          <AppLink to={{ page: 'people', id: 'ask', query: { show: event.id } }} class="button">
            {t('people.showLink')}
          </AppLink>
        )}
        <Action
          class="button"
          onClick={async () => {
            if (isRefused) await account.client.call('events.delete', { id: event.id })
            else await writeEvent(account, event.streamIds[0]!, types.invalidate, { capabilityId })
            onChanged()
          }}
        >
          {t(isRefused ? 'people.dismiss' : 'people.close')}
        </Action>
      </span>
    </>
  )
}

/** An acceptance that is under way, or has failed. */
function AcceptanceLine({ event }: { readonly event: Event }) {
  const { failure, from, status } = event.content as {
    readonly status?: string
    readonly from?: Person
    readonly failure?: { readonly reason?: string }
  }
  return (
    <span>
      <b>{from ? formatPerson(from) : t('people.acceptance')}</b>
      <small>{status === 'failed' ? describeFailure(failure?.reason) : t('people.underWay')}</small>
    </span>
  )
}

/** Opens a request that someone has sent. */
function OpenRequest() {
  const { username } = useAccount()
  return (
    <section class="card panel" aria-labelledby="people-request">
      <h2 id="people-request">{t('people.received')}</h2>
      <p class="hint">{t('people.receivedLead')}</p>
      <Form
        action={t('people.openRequest')}
        isQuiet
        onSubmit={async ({ link }) => {
          keepAsked({ capabilityUrl: takeCapabilityUrl(toPlainText(link!)) })
          navigate(buildHref(username, { page: 'people', id: 'offer' }))
          await Promise.resolve()
        }}
      >
        <Field name="link" label={t('data.kind.link')} input={{ autocomplete: 'off', inputMode: 'url' }} />
      </Form>
    </section>
  )
}

/** Returns the URL of an offer: the pasted text itself, or what a link to this page contains. */
function takeCapabilityUrl(text: string): string {
  try {
    return new URL(text).searchParams.get('capabilityUrl') ?? text
  } catch {
    return text
  }
}

/** Shows the notice once read. Resuming lets the account send again, and removes the notice. */
function PausedNotice() {
  const { client } = useAccount()
  const [since, setSince] = useState<number>()
  useEffect(() => {
    client
      .call<{ deliveriesPausedSince?: number }>('account.get')
      .then(({ deliveriesPausedSince }) => setSince(deliveriesPausedSince))
      // The page works without this notice.
      .catch(() => {})
  }, [])
  if (since === undefined) return null
  const resume = async (): Promise<void> => {
    await client.call('account.resumeDeliveries')
    setSince(undefined)
  }
  return (
    <div class="notice">
      <p>{t('people.paused', { date: formatDay(since) })}</p>
      <Action class="button" onClick={resume}>
        {t('people.resume')}
      </Action>
    </div>
  )
}
