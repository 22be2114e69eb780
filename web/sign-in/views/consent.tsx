/** Shows what an app requests, and asks whether to allow it. */
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import { Refusal, type Session } from '../../api.js'
import type { AuthRequest, Decision, Notice, OAuthNotice, Permission } from '../auth-request.js'
import { type Audience, checkRequest, createAcceptance, grantAccess, type Question } from '../grant-access.js'
import { compareGrants, type Grants } from '../compare-grants.js'
import { getLanguage, rich, t, type Key } from '../../language.js'
import { Form } from '../../parts/form.js'
import { Page } from '../../parts/page.js'
import { toPlainLines } from '../../plain-text.js'
import { explainError, type Message } from '../../explain-error.js'
import { PageContext } from '../../page-context.js'
import { ConsentDetails } from './consent-details.js'
import { GrantList } from './grant-list.js'
import { ErrorPage } from './error-pages.js'

interface Props {
  readonly request: AuthRequest
  readonly session: Session
  readonly onDecided: (decision: Decision) => Promise<void>
  /** Called when another user wants to sign in. */
  readonly onLeave: () => void
}

/**
 * Shows the request, and sends the decision of the user. If the user has agreed to the same before, accepts
 * without asking.
 */
export function Consent({ request, session, onDecided, onLeave }: Props) {
  const { info } = useContext(PageContext)
  const [question, setQuestion] = useState<Question>()
  const [problem, setProblem] = useState<Message>()
  /** Why the request could not be loaded; the user can retry. */
  const [loadError, setLoadError] = useState<Message>()
  const [attempt, setAttempt] = useState(0)
  /** Streams that the service proposed and the user omits. */
  const [omitted, setOmitted] = useState<ReadonlySet<string>>(new Set())
  const { app } = request

  useEffect(() => {
    checkRequest(request, session)
      .then(async found => {
        if ('token' in found) await onDecided(createAcceptance(session, found))
        else setQuestion(found)
      })
      .catch((error: unknown) => {
        const id = error instanceof Refusal ? error.id : ''
        // Signed out elsewhere in the meantime.
        if (id === 'invalid-access-token') onLeave()
        else if (/^(?:invalid|unknown|forbidden)/.test(id)) setProblem(explainError(error).message)
        else setLoadError(explainError(error).message)
      })
  }, [request, session, attempt])

  // Only one decision at a time, whichever button is pressed.
  const isDeciding = useRef(false)
  const decideOnce = (decision: () => Promise<Decision>) => async (): Promise<void> => {
    if (isDeciding.current) return
    isDeciding.current = true
    try {
      await onDecided(await decision())
    } finally {
      isDeciding.current = false
    }
  }
  const refuse = decideOnce(() =>
    Promise.resolve({ status: 'REFUSED', reasonId: 'REFUSED_BY_USER', message: 'The user refused.' })
  )

  const account = (
    <p class="links">
      {rich('account.lead', { username: <strong>{session.username}</strong> })}{' '}
      <button type="button" class="text" onClick={onLeave}>
        {t('consent.notYou')}
      </button>
    </p>
  )
  if (problem !== undefined)
    return (
      <Page key="problem" title={t('consent.impossible', { app })} lead={problem}>
        <Form action={t('consent.goBack')} onSubmit={refuse} />
        {account}
      </Page>
    )
  const retry = (): void => {
    setLoadError(undefined)
    setAttempt(attempt + 1)
  }
  if (loadError !== undefined) return <ErrorPage message={loadError} onRetry={retry} />
  if (!question) return <Loading />
  const { checked, consent, names, older, same, shares, streams } = question
  const accept = decideOnce(async () => {
    const notice = readNotice()
    const access = await grantAccess(request, session, {
      ...question,
      checked: applyChoice(checked, omitted, streams)
    })
    return { ...createAcceptance(session, access), notice }
  })
  const choice = {
    streamIds: listProposed(request, question),
    omitted,
    onToggle: (streamId: string) => setOmitted(toggle(omitted, streamId))
  }
  const asked = request.requestedPermissions
  const grants = compareGrants({ asked, checked, older: older?.permissions }, names)
  return (
    <Page
      key="question"
      title={t(same ? 'consent.titleAgain' : 'consent.title', { app })}
      lead={rich(getLeadKey(grants, question), {
        app: <strong>{app}</strong>,
        service: info.name
      })}
    >
      <AppMessage request={request} />
      <GrantList grants={grants} streams={streams} appNames={request.appNames} choice={choice} />
      {request.oauth && <ScopeList notice={request.oauth} app={app} />}
      <ConsentDetails request={request} shares={shares} consent={consent} same={same} />
      <Form
        action={t('consent.allow')}
        onSubmit={accept}
        others={
          <button
            type="button"
            class="button"
            onClick={() => void refuse().catch((error: unknown) => setLoadError(explainError(error).message))}
          >
            {t('consent.refuse')}
          </button>
        }
      />
      {account}
    </Page>
  )
}

/**
 * Returns the texts with which the page asks, for the receipt. The app can read them: they must not tell who the user is, or what others
 * may see.
 */
function readNotice(): Notice {
  const shown = document.querySelectorAll(
    'h1, .lead, .said, .grant > p, .grant > div > p:not(.hint), .identity > li'
  )
  const texts = [...shown]
    .filter(each => !each.querySelector('input:not(:checked)'))
    .map(each => (each.textContent ?? '').trim())
  return {
    language: getLanguage(),
    texts: texts
      .filter(text => text !== '')
      .slice(0, 300)
      .map(text => text.slice(0, 5000))
  }
}

/** Returns the streams that the app has not asked for: the service proposes them for what it has asked for. */
function listProposed({ requestedPermissions }: AuthRequest, { checked, same }: Question): Set<string> {
  const asked = new Set(requestedPermissions.map(each => 'streamId' in each && each.streamId))
  const streamIds = same ? [] : checked.flatMap(each => ('streamId' in each ? [each.streamId] : []))
  return new Set(streamIds.filter(streamId => !asked.has(streamId)))
}

function getLeadKey(grants: Grants, { consent, older, same }: Question): Key {
  // Without a place that the user has approved, none is new: the access may have got an end since.
  if (same) return consent.agreed.length > 0 && consent.isNeeded ? 'consent.leadAgain' : 'consent.leadAsked'
  if (older) return 'consent.leadOlder'
  return grants.asked.length === 0 ? 'consent.leadNothing' : 'consent.lead'
}

function toggle(set: ReadonlySet<string>, item: string): ReadonlySet<string> {
  const toggled = new Set(set)
  if (!toggled.delete(item)) toggled.add(item)
  return toggled
}

/** Shown while loading. */
function Loading() {
  return (
    <p class="loading" role="status">
      {t('loading')}
    </p>
  )
}

/** The app's own description, in the member where apps of this API put it. */
function AppMessage({ request }: { readonly request: AuthRequest }) {
  const description = request.clientData?.['app-web-auth:description'] as { content?: unknown } | undefined
  if (typeof description?.content !== 'string') return null
  return (
    <figure class="said">
      <figcaption>{t('consent.says', { app: request.app })}</figcaption>
      <blockquote>{toPlainLines(description.content)}</blockquote>
    </figure>
  )
}

/**
 * Returns the permissions to grant. An omitted stream below one that is granted gets the level `none`: otherwise, the app could read it
 * all the same.
 */
function applyChoice(
  checked: readonly Permission[],
  omitted: ReadonlySet<string>,
  streams: readonly Audience[]
): Permission[] {
  const paths = new Map(streams.map(({ path, streamId }) => [streamId, path]))
  const granted = new Set(
    checked.flatMap(each =>
      'streamId' in each && each.level !== 'none' && !omitted.has(each.streamId) ? [each.streamId] : []
    )
  )
  return checked.flatMap((each): Permission[] => {
    if (!('streamId' in each) || !omitted.has(each.streamId)) return [each]
    const path = paths.get(each.streamId)
    // Not all of very many streams are described.
    const isBelow = path ? path.some(({ id }) => granted.has(id)) : granted.size > 0
    return isBelow || granted.has('*') ? [{ streamId: each.streamId, level: 'none' }] : []
  })
}

/** Texts by scope. */
const scopeTexts: ReadonlyMap<string, Key> = new Map([
  ['openid', 'identity.openid'],
  ['profile', 'identity.profile'],
  ['email', 'identity.email'],
  ['offline_access', 'identity.offline'],
  ['fhirUser', 'identity.fhir'],
  ['launch/patient', 'identity.fhir']
])

interface ScopesProps {
  readonly notice: OAuthNotice
  readonly app: string
}

/** Shows what a client learns about the user besides the permissions. */
function ScopeList({ notice, app }: ScopesProps) {
  const keys = [...new Set(notice.scopes.flatMap(scope => scopeTexts.get(scope) ?? []))]
  return (
    <>
      {keys.length > 0 && (
        <ul class="identity">
          {keys.map(key => (
            <li key={key}>{t(key)}</li>
          ))}
        </ul>
      )}
      {notice.isSelfRegistered && <p class="notice">{t('identity.stranger', { app })}</p>}
    </>
  )
}
