/** What an app asks for, and the question whether it may have it. */
import { useContext, useEffect, useState } from 'preact/hooks'
import { callAs, Refusal, type Session } from '../api.js'
import type { AuthRequest, Decision, Permission } from '../auth-request.js'
import { grantsOf, readNames, type Grants, type Names } from '../grants.js'
import { rich, t, type Key } from '../language.js'
import { Form } from '../parts/form.js'
import { Page } from '../parts/page.js'
import { explain } from '../problem.js'
import { Surroundings } from '../surroundings.js'
import { Facts } from './consent-facts.js'
import { GrantList } from './grant-list.js'

/** An access as far as it matters here. */
interface Access {
  readonly id: string
  readonly token: string
  readonly apiEndpoint?: string
  readonly permissions?: readonly Permission[]
  readonly expires?: number
}

interface Checked {
  readonly checkedPermissions?: readonly Permission[]
  readonly matchingAccess?: Access
  readonly mismatchingAccess?: Access
}

interface Props {
  readonly request: AuthRequest
  readonly session: Session
  readonly onDecided: (decision: Decision) => Promise<void>
  /** For somebody else who wants to sign in. */
  readonly onLeave: () => void
}

interface Question {
  readonly grants: Grants
  readonly checked: readonly Permission[]
  readonly older: Access | undefined
  /** Accesses that end with the older one. */
  readonly shares: number
}

export function Consent({ request, session, onDecided, onLeave }: Props) {
  const { info } = useContext(Surroundings)
  const [question, setQuestion] = useState<Question>()
  const [problem, setProblem] = useState<string>()
  const { app } = request

  useEffect(() => {
    check(request, session)
      .then(async found => {
        if ('token' in found) await onDecided(accepted(session, found))
        else setQuestion(found)
      })
      .catch((error: unknown) => {
        // Signed out elsewhere in the meantime.
        if (error instanceof Refusal && error.id === 'invalid-access-token') onLeave()
        else setProblem(explain(error).message)
      })
  }, [request, session])

  const refuse = async (): Promise<void> =>
    await onDecided({ status: 'REFUSED', reasonId: 'REFUSED_BY_USER', message: 'The user refused.' })
  const accept = async (): Promise<void> => {
    if (question) await onDecided(accepted(session, await grant(request, session, question)))
  }

  if (problem !== undefined)
    return (
      <Page key="problem" title={t('consent.impossible', { app })} lead={problem}>
        <Form action={t('consent.goBack')} onSubmit={refuse} />
      </Page>
    )
  if (!question) return <Waiting />
  return (
    <Page
      key="question"
      title={t('consent.title', { app })}
      lead={rich(leadOf(question), {
        app: <strong>{app}</strong>,
        service: info.name
      })}
    >
      <AppMessage request={request} />
      <GrantList grants={question.grants} />
      <Facts request={request} shares={question.shares} />
      <Form
        action={t('consent.allow')}
        onSubmit={accept}
        others={
          <button
            type="button"
            class="button"
            onClick={() => void refuse().catch((error: unknown) => setProblem(explain(error).message))}
          >
            {t('consent.refuse')}
          </button>
        }
      />
      <p class="links">
        {rich('consent.as', { username: <strong>{session.username}</strong> })}{' '}
        <button type="button" class="text" onClick={onLeave}>
          {t('consent.other')}
        </button>
      </p>
    </Page>
  )
}

function leadOf({ grants, older }: Question): Key {
  if (older) return 'consent.leadOlder'
  return grants.asked.length === 0 ? 'consent.leadNothing' : 'consent.lead'
}

/** The access that fits already, or what to ask. */
async function check(request: AuthRequest, session: Session): Promise<Access | Question> {
  const { requestingAppId, requestedPermissions, deviceName, clientData } = request
  const asked = {
    requestingAppId,
    requestedPermissions,
    ...(deviceName ? { deviceName } : {}),
    ...(clientData ? { clientData } : {})
  }
  const answer = await callAs<Checked>(session, 'POST', 'accesses/check-app', asked)
  if (answer.matchingAccess) return answer.matchingAccess
  const checked = answer.checkedPermissions ?? []
  const older = answer.mismatchingAccess
  const names: Names = await readNames(session)
  return {
    grants: grantsOf({ asked: requestedPermissions, checked, older: older?.permissions }, names),
    checked,
    older,
    shares: older ? await countShares(session, older.id) : 0
  }
}

/** How many accesses an app has given to others: they end when it is replaced. */
async function countShares(session: Session, id: string): Promise<number> {
  const { accesses } = await callAs<{ accesses: readonly { type: string; createdBy: string }[] }>(
    session,
    'GET',
    'accesses'
  )
  return accesses.filter(each => each.type === 'shared' && each.createdBy.split(' ')[0] === id).length
}

/** Creates the access, in the place of an older one. */
async function grant(request: AuthRequest, session: Session, { checked, older }: Question): Promise<Access> {
  if (older) await remove(session, older.id)
  const { requestingAppId, deviceName, expireAfter, clientData } = request
  const { access } = await callAs<{ access: Access }>(session, 'POST', 'accesses', {
    type: 'app',
    name: requestingAppId,
    permissions: checked,
    ...(deviceName ? { deviceName } : {}),
    ...(expireAfter === undefined || expireAfter === null ? {} : { expireAfter }),
    ...(clientData ? { clientData } : {})
  })
  return access
}

/** Deletes an access that may be gone: an attempt may have come as far as this before. */
async function remove(session: Session, id: string): Promise<void> {
  try {
    await callAs(session, 'DELETE', `accesses/${id}`)
  } catch (error) {
    if (!(error instanceof Refusal) || error.id !== 'unknown-resource') throw error
  }
}

function accepted({ username }: Session, { token, apiEndpoint }: Access): Decision {
  return { status: 'ACCEPTED', username, token, ...(apiEndpoint ? { apiEndpoint } : {}) }
}

/** Shows that something is under way. */
function Waiting() {
  return (
    <p class="loading" role="status">
      {t('loading')}
    </p>
  )
}

/** A word of the app itself, in the place where apps of this API put it. */
function AppMessage({ request }: { readonly request: AuthRequest }) {
  const description = request.clientData?.['app-web-auth:description'] as { content?: unknown } | undefined
  if (typeof description?.content !== 'string') return null
  return (
    <figure class="said">
      <figcaption>{t('consent.says', { app: request.app })}</figcaption>
      <blockquote>{description.content}</blockquote>
    </figure>
  )
}
