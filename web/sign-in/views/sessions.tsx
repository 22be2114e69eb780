/** The user's open sessions, with buttons to end them. */
import { useEffect, useState } from 'preact/hooks'
import { callAs, type Session } from '../../api.js'
import { date, isKey, t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { Alert } from '../../parts/form.js'
import { plain } from '../../plain.js'
import { explain, type Message } from '../../problem.js'
import { agentIn } from '../../user-agent.js'

/** A session as the API returns it. */
interface OpenSession {
  readonly id: string
  readonly appId: string
  readonly lastUsed: number
  readonly isCurrent: boolean
  readonly signedIn?: { readonly time: number; readonly userAgent?: string; readonly address: string }
}

interface Props {
  readonly session: Session
  /** Network addresses from which sessions have been used lately, by id. */
  readonly places?: ReadonlyMap<string, string>
}

export function Sessions({ session, places }: Props) {
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
                {each.signedIn && <p class="hint">{signedIn(each.signedIn)}</p>}
                {places?.get(each.id) && (
                  <p class="hint">{t('sessions.from', { places: places.get(each.id)! })}</p>
                )}
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

/** When, with which browser and from which address somebody has signed in last. */
function signedIn({ address, time, userAgent }: NonNullable<OpenSession['signedIn']>): string {
  const { browser, system } = agentIn(userAgent ?? '')
  const program = browser ?? t('sessions.another')
  const words = [
    t('sessions.signedIn', { date: date(time) }),
    system === undefined ? program : t('sessions.with', { browser: program, system }),
    ...(address === '' ? [] : [t('sessions.at', { address: plain(address) })])
  ]
  return words.join(', ')
}

/** Returns the display name of an app; our own pages have app ids, too. */
function nameOf(appId: string): string {
  const key = `sessions.${appId}`
  return isKey(key) ? t(key) : plain(appId)
}
