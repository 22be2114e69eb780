/** The apps that the user has allowed, with a button to revoke each. Shows nothing without such apps. */
import { useContext, useState } from 'preact/hooks'
import { callAs, type Session } from '../../api.js'
import { formatDate, t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { toPlainText } from '../../plain-text.js'
import { readAppNames, type Permission } from '../../sign-in/auth-request.js'
import { compareGrants, readStreamNames, type StreamNames } from '../../sign-in/compare-grants.js'
import { PageContext } from '../../page-context.js'
import { getAccessId } from '../data/access-facts.js'
import { useReading } from '../data/reading.js'
import { lazy } from '../parts/lazy.js'
import { ReadProblem } from '../parts/read-problem.js'
import { addModuleTexts } from '../texts.js'

const Edit = lazy(async () => {
  const [{ EditAccess }] = await Promise.all([
    import('../edit-access/edit-access.js'),
    addModuleTexts('edit-access')
  ])
  return EditAccess
})

/** The members of an app's access that are shown. */
interface AppAccess {
  readonly id: string
  readonly type: string
  readonly name: string
  readonly deviceName?: string
  readonly permissions?: readonly Permission[]
  readonly expires?: number
  /** Present if it was granted by OAuth. */
  readonly oauth?: { readonly clientName?: string; readonly renewableUntil?: number }
}

interface AllowedList {
  readonly accesses: readonly AppAccess[]
  readonly names: StreamNames
  /** The operator's names for apps, by id. */
  readonly apps: ReadonlyMap<string, string>
}

/**
 * Lists the allowed apps. Each can be edited, if the service permits it, or revoked after a second click.
 * Renders nothing while reading or without apps; an error shows the section.
 */
export function AllowedApps({ session }: { readonly session: Session }) {
  const { problem, read: found, reread } = useReading(() => readAllowed(session), [session])
  if (problem === undefined && (!found || found.accesses.length === 0)) return null
  return (
    <section>
      <h2>{t('allowed.title')}</h2>
      {problem !== undefined && <ReadProblem message={problem} />}
      <ul class="sessions">
        {found?.accesses.map(access => (
          <Row
            key={access.id}
            access={access}
            found={found}
            onChanged={() => void reread()}
            onEnd={async () => {
              await callAs(session, 'DELETE', `accesses/${access.id}`)
              await reread()
            }}
          />
        ))}
      </ul>
    </section>
  )
}

/**
 * Reads the app accesses that are valid, or expired but renewable by their app, with the names that their list needs.
 */
async function readAllowed(session: Session): Promise<AllowedList> {
  const read = async (query: string): Promise<readonly AppAccess[]> =>
    (await callAs<{ accesses: readonly AppAccess[] }>(session, 'GET', `accesses${query}`)).accesses
  const [live, all, names, apps] = await Promise.all([
    read(''),
    read('?includeExpired=true'),
    readStreamNames(session),
    readAppNames()
  ])
  // An app may be able to renew an expired access.
  const ids = new Set(live.map(({ id }) => id))
  return {
    accesses: all.filter(
      ({ id, oauth, type }) => type === 'app' && (ids.has(id) || oauth?.renewableUntil !== undefined)
    ),
    names,
    apps
  }
}

/** Returns when an access ends, in seconds. An app may be able to renew it even after it has expired. */
function getEnd({ expires = Infinity, oauth }: AppAccess): number {
  return Math.max(expires, oauth?.renewableUntil ?? 0)
}

interface RowProps {
  readonly access: AppAccess
  readonly found: AllowedList
  readonly onEnd: () => Promise<void>
  readonly onChanged: () => void
}

/** One app. Revoking requires confirmation, because it cannot be undone. */
function Row({ access, found, onChanged, onEnd }: RowProps) {
  const [isConfirming, setConfirming] = useState(false)
  const [isEditing, setEditing] = useState(false)
  const isEditable = useContext(PageContext).info.features?.accessesUpdate === true
  const { deviceName, name, oauth, permissions = [] } = access
  const app = found.apps.get(name) ?? toPlainText(oauth?.clientName ?? name)
  const end = getEnd(access)
  const { asked: grants } = compareGrants(
    { asked: permissions, checked: permissions, older: undefined },
    found.names
  )
  return (
    <li>
      <div class="row">
        <div>
          <strong>{app}</strong> {deviceName && <span class="badge">{toPlainText(deviceName)}</span>}
          <p class="hint">{grants.map(grant => grant.name).join(', ')}</p>
          {end !== Infinity && (
            <p class="hint">
              {t(oauth?.renewableUntil === undefined ? 'allowed.until' : 'allowed.renewed', {
                date: formatDate(end)
              })}
            </p>
          )}
          {oauth && <p class="hint">{t('allowed.oauth')}</p>}
        </div>
        {!isConfirming && isEditable && (
          <button
            type="button"
            class="text"
            aria-label={t('allowed.editOf', { app })}
            onClick={() => setEditing(true)}
          >
            {t('allowed.edit')}
          </button>
        )}
        {!isConfirming && (
          <button
            type="button"
            class="text"
            aria-label={t('allowed.revokeOf', { app })}
            onClick={() => setConfirming(true)}
          >
            {t('allowed.revoke')}
          </button>
        )}
      </div>
      {isEditing && (
        <Edit id={getAccessId(access.id)} name={app} onClose={() => setEditing(false)} onSaved={onChanged} />
      )}
      {isConfirming && (
        <div role="group" aria-label={t('allowed.revokeOf', { app })}>
          <p>{t('allowed.revokeText', { app })}</p>
          <div class="actions start">
            <Action onClick={onEnd}>{t('allowed.revoke')}</Action>
            <button type="button" class="button" onClick={() => setConfirming(false)}>
              {t('shell.cancel')}
            </button>
          </div>
        </div>
      )}
    </li>
  )
}
