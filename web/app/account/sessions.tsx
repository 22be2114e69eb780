/** The user's sessions, with buttons to revoke them. */
import { callAs, type Session } from '../../api.js'
import { formatDate, isKey, t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { toPlainText } from '../../plain-text.js'
import { parseUserAgent } from '../../user-agent.js'
import { ReadProblem } from '../parts/read-problem.js'
import { useRead } from './part.js'

/** A session as the API returns it. */
interface OpenSession {
  readonly id: string
  readonly appId: string
  readonly lastUsed: number
  readonly isCurrent: boolean
  readonly signedIn?: { readonly time: number; readonly userAgent?: string; readonly address: string }
}

/**
 * Lists the sessions. Each but the current one can be revoked, or all others at once, after which the list is
 * read again.
 */
export function Sessions({ session }: { readonly session: Session }) {
  const { problem, read, reread } = useRead<{ sessions: readonly OpenSession[] }>(session, 'sessions')
  const sessions = read?.sessions
  const revoke = async (path: string): Promise<void> => {
    await callAs(session, 'DELETE', path)
    await reread()
  }
  return (
    <section>
      <h2>{t('sessions.title')}</h2>
      {problem !== undefined && <ReadProblem message={problem} />}
      {sessions && (
        <ul class="sessions">
          {sessions.map(item => (
            <li key={item.id} class="row">
              <div>
                <strong>{describeDevice(item)}</strong>{' '}
                {item.isCurrent && <span class="badge">{t('sessions.current')}</span>}
                <p class="hint">{describeSignIn(item)}</p>
                <p class="hint">{t('account.lastUsed', { date: formatDate(item.lastUsed) })}</p>
              </div>
              {!item.isCurrent && (
                <Action
                  class="text"
                  label={t('sessions.endOf', { app: describeDevice(item) })}
                  onClick={async () => await revoke(`sessions/${item.id}`)}
                >
                  {t('sessions.end')}
                </Action>
              )}
            </li>
          ))}
        </ul>
      )}
      {sessions && sessions.length > 1 && (
        <div class="actions start">
          <Action onClick={async () => await revoke('sessions')}>{t('sessions.endOthers')}</Action>
        </div>
      )}
    </section>
  )
}

/**
 * Returns the title of a session: the browser on the service's own pages, where each sign-in creates a session; otherwise the app.
 */
function describeDevice({ appId, signedIn }: OpenSession): string {
  return isOwnPage(appId) && signedIn ? describeBrowser(signedIn) : toAppName(appId)
}

/** Returns the other details of a session: app or browser, time and address of the last sign-in. */
function describeSignIn({ appId, signedIn }: OpenSession): string {
  if (!signedIn) return ''
  const { address, time } = signedIn
  const words = [
    isOwnPage(appId) ? toAppName(appId) : describeBrowser(signedIn),
    t('sessions.signedIn', { date: formatDate(time) }),
    ...(address === '' ? [] : [t('sessions.at', { address: toPlainText(address) })])
  ]
  return words.join(', ')
}

/** Returns the names of the browser and its system. */
function describeBrowser({ userAgent = '' }: NonNullable<OpenSession['signedIn']>): string {
  const { browser = t('sessions.another'), system } = parseUserAgent(userAgent)
  return system === undefined
    ? toPlainText(browser)
    : t('sessions.with', { browser: toPlainText(browser), system })
}

function isOwnPage(appId: string): boolean {
  return appId.startsWith('coffer-')
}

/** Returns the display name of an app. The service's own pages have app ids, too. */
function toAppName(appId: string): string {
  const key = `sessions.${appId}`
  return isKey(key) ? t(key) : toPlainText(appId)
}
