/** Answers a request for more that an app has opened. (docs/api/consent.md#pages) */
import { useEffect, useState } from 'preact/hooks'
import { explainError, type Message } from '../../explain-error.js'
import { t } from '../../language.js'
import { useAccount } from '../data/account.js'
import type { Event } from '../data/model.js'
import { useStore } from '../data/store.js'
import { ReadProblem } from '../parts/read-problem.js'
import { Skeleton } from '../parts/skeleton.js'
import { keepAsked, takeAsked } from './asked.js'
import { formatPerson, getStreams, toRelationship } from './people.js'
import { returnToApp } from './return-to-app.js'
import { ScopeRequest } from './scope-request.js'

/**
 * Shows the request; says so if it is missing, unknown or of no current person. After the answer, returns to
 * the app, or confirms it here.
 */
export function AnswerScopeRequest({ query }: { readonly query: URLSearchParams }) {
  const account = useAccount()
  const accesses = useStore(account.accesses)
  const [asked] = useState(() => takeAsked(query))
  const [event, setEvent] = useState<Event>()
  const [problem, setProblem] = useState<Message>()
  const [isDone, setDone] = useState(false)
  const { scopeRequestEventId: id } = asked
  useEffect(() => {
    if (id === undefined) return
    account.client.call<{ event: Event }>('events.getOne', { id }).then(
      found => setEvent(found.event),
      (error: unknown) => setProblem(explainError(error).message)
    )
  }, [id])
  if (problem !== undefined) return <ReadProblem message={problem} />
  if (id === undefined)
    return (
      <div class="empty">
        <h1>{t('people.noOffer')}</h1>
        <p>{t('people.noOfferLead')}</p>
      </div>
    )
  if (!event) return <Skeleton kind="page" />
  const relationship = accesses
    .flatMap(access => toRelationship(access) ?? [])
    .find(each => event.streamIds.includes(getStreams(each).collectors) && each.seesMine)
  if (!relationship || isDone)
    return (
      <div class="empty">
        <h1>{t(isDone ? 'people.answered' : 'people.noOffer')}</h1>
        <p>{t(isDone ? 'people.answeredLead' : 'people.noOfferLead')}</p>
      </div>
    )
  return (
    <>
      <h1>{t('people.asksMore', { name: relationship.name })}</h1>
      <p class="lead">{formatPerson(relationship.person)}</p>
      <section class="card panel">
        <ScopeRequest
          event={event}
          relationship={relationship}
          isAnswered={false}
          onAnswered={(outcome, isAccepted) => {
            keepAsked({})
            const result = {
              ok: true,
              updateEventId: outcome.event.id,
              action: isAccepted ? 'accept' : 'refuse'
            }
            if (!returnToApp(asked, 'scope-update', result)) setDone(true)
          }}
        />
      </section>
    </>
  )
}
