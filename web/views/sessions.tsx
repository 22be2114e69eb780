/** Where somebody is signed in, and signing out there. */
import { useEffect, useState } from 'preact/hooks'
import { callAs, type Session } from '../api.js'
import { date, isKey, t } from '../language.js'
import { Action } from '../parts/action.js'
import { Alert } from '../parts/form.js'
import { plain } from '../plain.js'
import { explain, type Message } from '../problem.js'

/** A session as the service tells of it. */
interface OpenSession {
  readonly id: string
  readonly appId: string
  readonly lastUsed: number
  readonly isCurrent: boolean
}

export function Sessions({ session }: { readonly session: Session }) {
  const [sessions, setSessions] = useState<readonly OpenSession[]>()
  const [problem, setProblem] = useState<Message>()
  const read = async (): Promise<void> =>
    setSessions((await callAs<{ sessions: readonly OpenSession[] }>(session, 'GET', 'sessions')).sessions)
  useEffect(() => {
    read().catch((error: unknown) => setProblem(explain(error).message))
  }, [session])
  const end = async (path: string): Promise<void> => {
    await callAs(session, 'DELETE', path)
    await read()
  }
  return (
    <section>
      <h2>{t('sessions.title')}</h2>
      {problem !== undefined && <Alert>{problem}</Alert>}
      {sessions && (
        <ul class="sessions">
          {sessions.map(each => (
            <li key={each.id} class="row">
              <div>
                <strong>{nameOf(each.appId)}</strong>{' '}
                {each.isCurrent && <span class="badge">{t('sessions.current')}</span>}
                <p class="hint">{t('sessions.used', { date: date(each.lastUsed) })}</p>
              </div>
              {!each.isCurrent && (
                <Action
                  class="text"
                  label={t('sessions.endOf', { app: nameOf(each.appId) })}
                  onClick={async () => await end(`sessions/${each.id}`)}
                >
                  {t('sessions.end')}
                </Action>
              )}
            </li>
          ))}
        </ul>
      )}
      {sessions && sessions.length > 2 && (
        <div class="actions start">
          <Action onClick={async () => await end('sessions')}>{t('sessions.endOthers')}</Action>
        </div>
      )}
    </section>
  )
}

/** What people call an app; ours have ids too. */
function nameOf(appId: string): string {
  const key = `sessions.${appId}`
  return isKey(key) ? t(key) : plain(appId)
}
