/** Shows what another account asks for, and accepts or refuses it. */
import { useContext, useEffect, useState } from 'preact/hooks'
import { callRoute, Refusal } from '../../api.js'
import { explainError, type Message } from '../../explain-error.js'
import { t } from '../../language.js'
import { PageContext } from '../../page-context.js'
import { toPlainText } from '../../plain-text.js'
import { Action } from '../../parts/action.js'
import { Field } from '../../parts/field.js'
import { Form } from '../../parts/form.js'
import { useAccount, type Account } from '../data/account.js'
import { Icon } from '../parts/icon.js'
import { ReadProblem } from '../parts/read-problem.js'
import { Skeleton } from '../parts/skeleton.js'
import { AppLink } from '../parts/app-link.js'
import { takeAsked, keepAsked, type Asked } from './asked.js'
import { AskedList, getKey } from './asked-list.js'
import { FormNotice } from './offered-form.js'
import { describeFailure, explainFailure } from './failures.js'
import { toEnd } from './end-date.js'
import {
  formatPerson,
  ownScope,
  pickText,
  types,
  waitForOutcome,
  writeEvent,
  type AskedPermission,
  type Outcome,
  type Person,
  type RequestContent
} from './people.js'
import { returnToApp, getAppOrigin } from './return-to-app.js'

interface Read {
  readonly offer: { readonly content: RequestContent }
  readonly requester: Person
  /** Where the user returns to, if an OAuth client asks. */
  readonly returnTo?: string
}

/**
 * Shows the offer of the link or of an OAuth request. Answering gives access, or refuses, and returns to the
 * app that opened it, if any.
 */
export function AnswerOffer({ query }: { readonly query: URLSearchParams }) {
  const { client } = useAccount()
  const [asked] = useState(() => takeAsked(query))
  const [read, setRead] = useState<Read>()
  const [problem, setProblem] = useState<Message>()
  const { capabilityUrl, state } = asked
  const wanted = state ?? capabilityUrl
  useEffect(() => {
    if (wanted === undefined) return
    const reading =
      state === undefined
        ? client.callAlone<Read>('cmc.readOffer', { capabilityUrl })
        : client.callAlone<Read>('oauth.readOffer', { state })
    reading.then(setRead, (error: unknown) => setProblem(explainError(explainFailure(error)).message))
  }, [wanted])
  if (wanted === undefined)
    return (
      <div class="empty">
        <h1>{t('people.noOffer')}</h1>
        <p>{t('people.noOfferLead')}</p>
      </div>
    )
  if (problem !== undefined) return <ReadProblem message={problem} />
  return read ? <Offer asked={asked} read={read} /> : <Skeleton kind="page" />
}

/**
 * Shows an offer with its permissions, and accepts or refuses it; then returns to the app that asked, or shows the
 * outcome.
 */
function Offer({ asked, read }: { readonly asked: Asked; readonly read: Read }) {
  const account = useAccount()
  const { facts } = useContext(PageContext)
  const { offer, requester } = read
  const { request, requesterMeta } = offer.content
  const { allowUserChoice = false, permissions } = request
  const [chosen, setChosen] = useState<ReadonlyMap<string, string>>(
    () => new Map(permissions.map(each => [getKey(each), each.level ?? '']))
  )
  const [streams, setStreams] = useState(() => suggestStreams(account, permissions))
  const [withChat, setChat] = useState(request.features?.chat !== false)
  const [outcome, setOutcome] = useState<Outcome>()
  const [isRefused, setRefused] = useState(false)
  const shownName = toPlainText(requesterMeta?.displayName ?? '')
  const name = shownName === '' ? toPlainText(requester.username) : shownName
  const app = read.returnTo === undefined ? getAppOrigin(asked) : getOwner(read.returnTo)
  if (isRefused)
    return (
      <div class="empty">
        <h1>{t('people.refused')}</h1>
        <p>{t('people.refusedLead', { name })}</p>
      </div>
    )
  if (outcome) return <Result outcome={outcome} name={name} />
  const accept = async (accessName: string, endDate: string): Promise<void> => {
    const granted = permissions.filter(each => chosen.has(getKey(each)))
    if (granted.length === 0) throw new Refusal('people-nothing', t('people.chooseSome'))
    const end = toEnd(endDate)
    const own = granted.flatMap(({ streamId = '' }) =>
      streams.has(streamId) ? [[streamId, streams.get(streamId)!] as const] : []
    )
    const choice = {
      grantedPermissions: granted.map(each => toGranted({ ...each, level: chosen.get(getKey(each))! })),
      accessName,
      features: { chat: withChat, systemMessaging: request.features?.systemMessaging !== false },
      ...(own.length > 0 && { ownStreams: Object.fromEntries(own) }),
      ...(end !== undefined && { expires: end })
    }
    if (asked.state !== undefined) return await acceptForApp(account, asked.state, choice)
    const found = await acceptOffer(account, asked, choice)
    await account.readAccesses()
    keepAsked({})
    const isReturned =
      found.status !== 'failed' &&
      returnToApp(asked, 'accept', {
        ok: true,
        acceptEventId: found.event.id,
        ...getEndpointFor(asked, found, facts.trustedReturnOrigins)
      })
    if (!isReturned) setOutcome(found)
  }
  const refuse = async (): Promise<void> => {
    if (asked.state !== undefined) {
      const body = { state: asked.state }
      const path = 'oauth2/authorize/refuse'
      return leave((await callRoute<{ redirectTo: string }>('POST', path, { body })).redirectTo)
    }
    await writeEvent(account, asked.scopeStreamId ?? ownScope, types.refuse, {
      capabilityUrl: asked.capabilityUrl
    })
    keepAsked({})
    if (!returnToApp(asked, 'accept', { ok: false, reason: 'refused' })) setRefused(true)
  }
  return (
    <>
      <h1>{t('people.asks', { name })}</h1>
      <p class="who-asks">
        <Icon name="check" />
        <span>
          {t('people.confirmedBy')} <b>{formatPerson(requester)}</b>
        </span>
      </p>
      {shownName !== '' && <p class="hint">{t('people.displayNameHint', { name: shownName })}</p>}
      <section class="card panel">
        <h2>{pickText(request.title)}</h2>
        {toParagraphs(pickText(request.description))}
        <FormNotice content={offer.content} />
        <Form
          action={t('people.accept')}
          onSubmit={async ({ accessName, end = '' }) => await accept(accessName!.trim(), end)}
          others={
            <Action class="button" onClick={refuse}>
              {t('people.refuse')}
            </Action>
          }
        >
          <AskedList
            permissions={permissions}
            mayChoose={allowUserChoice}
            chosen={chosen}
            onChoose={setChosen}
            streams={streams}
            onStream={(streamId, own) => {
              const next = new Map(streams)
              if (own === streamId) next.delete(streamId)
              else next.set(streamId, own)
              setStreams(next)
            }}
          />
          {request.features?.chat !== false && (
            <label class="tick">
              <input
                type="checkbox"
                checked={withChat}
                onChange={event => setChat(event.currentTarget.checked)}
              />
              {t('people.allowChat', { name })}
            </label>
          )}
          <Field
            name="accessName"
            label={t('people.theirName')}
            hint={t('people.theirNameHint')}
            input={{ defaultValue: asked.accessName ?? name, maxLength: 100, autocomplete: 'off' }}
          />
          <Field
            name="end"
            label={t('people.until')}
            hint={t('people.untilHint')}
            input={{ type: 'date', required: false }}
          />
          <blockquote>{toParagraphs(pickText(request.consent))}</blockquote>
          {app !== undefined && <p class="hint">{t('people.returnsTo', { app })}</p>}
        </Form>
      </section>
    </>
  )
}

/** Suggests streams of the user for those that the offer names and the account does not have: an offer of this app names measures. */
function suggestStreams(
  { measureFacts, tree }: Account,
  permissions: readonly AskedPermission[]
): ReadonlyMap<string, string> {
  const suggested = new Map<string, string>()
  for (const { streamId = '' } of permissions) {
    const fact = measureFacts.value.find(({ measure }) => measure === streamId)
    const [source] = fact?.sources.toSorted((a, b) => b.count - a.count) ?? []
    if (source && !tree.value?.find(streamId)) suggested.set(streamId, source.streamId)
  }
  return suggested
}

/** Says whether the acceptance has been completed. */
function Result({ outcome, name }: { readonly outcome: Outcome; readonly name: string }) {
  const { dataGrantAccessId } = outcome.event.content as { readonly dataGrantAccessId?: string }
  const { status } = outcome
  return (
    <div class="empty">
      <h1>{t(`people.result.${status}`)}</h1>
      <p>
        {status === 'failed' ? describeFailure(outcome.reason) : t(`people.resultLead.${status}`, { name })}
      </p>
      {dataGrantAccessId !== undefined && status === 'completed' && (
        <AppLink to={{ page: 'people', id: dataGrantAccessId }} class="button primary">
          {t('people.openPerson', { name })}
        </AppLink>
      )}
    </div>
  )
}

interface Choice {
  readonly grantedPermissions: readonly object[]
  readonly accessName: string
  readonly features: object
  readonly ownStreams?: Readonly<Record<string, string>>
  /** Seconds. */
  readonly expires?: number
}

/** Returns a permission as an acceptance lists it. Without a list, everything that is offered would be granted. */
function toGranted({ feature, level, setting, streamId }: AskedPermission): object {
  return feature === undefined ? { streamId, level } : { feature, setting }
}

/** Accepts an offer, and waits until both servers have carried that out. */
async function acceptOffer(account: Account, asked: Asked, choice: Choice): Promise<Outcome> {
  const content = { capabilityUrl: asked.capabilityUrl, ...choice }
  const written = await writeEvent(account, asked.scopeStreamId ?? ownScope, types.accept, content)
  return await waitForOutcome(account, written.id)
}

/** Accepts the offer of an OAuth client, and returns to it. */
async function acceptForApp({ client }: Account, state: string, choice: Choice): Promise<void> {
  try {
    leave(
      (await client.callAlone<{ redirectTo: string }>('oauth.acceptOffer', { state, ...choice })).redirectTo
    )
  } catch (error) {
    throw explainFailure(error)
  }
}

function leave(url: string): void {
  keepAsked({})
  location.assign(url)
}

/** Returns who owns an address: its origin, or the scheme of an app. */
function getOwner(url: string): string {
  const { origin, protocol } = new URL(url)
  return origin === 'null' ? protocol : origin
}

/** Returns the API endpoint of the access for an app to which the operator lets it be given. */
function getEndpointFor(
  asked: Asked,
  { event }: Outcome,
  trustedOrigins: readonly string[]
): { readonly dataGrantApiEndpoint?: string } {
  const { acceptedBy } = event.content as { readonly acceptedBy?: { readonly apiEndpoint?: string } }
  const origin = getAppOrigin(asked)
  const endpoint = acceptedBy?.apiEndpoint
  const isTrusted = origin !== undefined && trustedOrigins.includes(origin)
  return isTrusted && endpoint !== undefined ? { dataGrantApiEndpoint: endpoint } : {}
}

function toParagraphs(text: string) {
  return text === '' ? null : <p>{text}</p>
}
