/** The user information that an OAuth app receives, and a warning if it has registered itself. */
import type { OAuthNotice } from '../auth-request.js'
import { t, type Key } from '../../language.js'

/** Texts by scope. */
const scopeTexts: ReadonlyMap<string, Key> = new Map([
  ['openid', 'identity.openid'],
  ['profile', 'identity.profile'],
  ['email', 'identity.email'],
  ['offline_access', 'identity.offline'],
  ['fhirUser', 'identity.fhir'],
  ['launch/patient', 'identity.fhir']
])

interface Props {
  readonly notice: OAuthNotice
  readonly app: string
}

/** Shows what a client learns about the user besides the permissions. */
export function ScopeList({ notice, app }: Props) {
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
