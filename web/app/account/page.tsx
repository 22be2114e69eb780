/** The account page: sign-in, storage, sessions, deletion. */
import './style.css'
import { useContext, useMemo } from 'preact/hooks'
import type { Session } from '../../api.js'
import { rich, t } from '../../language.js'
import { Page as Sheet } from '../../parts/page.js'
import { PageContext } from '../../page-context.js'
import { useAccount } from '../data/account.js'
import { buildHref, navigate, type PageProps } from '../route.js'
import { AllowedApps } from './allowed-apps.js'
import { DeleteAccount } from './delete-account.js'
import { ChangeEmail, EmailAddress } from './email-address.js'
import { LanguageSection } from './language.js'
import { LetterSection } from './letter.js'
import { LinkedIdentities } from './linked-identities.js'
import { SecurityEmails } from './security-emails.js'
import { Passkeys } from './passkeys.js'
import { ChangePassword, PasswordSection } from './password.js'
import { SharedSecrets } from './shared-secrets.js'
import { Sessions } from './sessions.js'
import { StorageSection } from './storage.js'
import { ExportData } from './export-data.js'
import { TwoFactor, TwoFactorSection } from './two-factor.js'
import { UnitsSection } from './units.js'
import { ChangeUsername, UsernameSection } from './username.js'
import { WebhooksSection } from './webhooks.js'

/** Parts shown on a page of their own, by their ids in the URL. */
const parts = new Map([
  ['email', ChangeEmail],
  ['username', ChangeUsername],
  ['password', ChangePassword],
  ['two-factor', TwoFactor]
])

/** Shows the part that `id` names, and for other ids all sections. */
export default function Page({ id = '' }: PageProps) {
  const { username } = useAccount()
  const session = useMemo<Session>(() => ({ username }), [username])
  const Part = parts.get(id)
  if (!Part) return <Overview session={session} />
  return (
    <div class="card one-thing">
      <Part session={session} onBack={() => navigate(buildHref(username, { page: 'account' }))} />
    </div>
  )
}

/** Shows the sections of the account; those that the service does not offer are omitted. */
function Overview({ session }: { readonly session: Session }) {
  const { facts } = useContext(PageContext)
  return (
    <Sheet
      key="overview"
      title={t('shell.ownAccount')}
      lead={rich('account.lead', { username: <strong>{session.username}</strong> })}
    >
      <div class="cards">
        <div>
          <UsernameSection session={session} />
          <EmailAddress session={session} />
          {facts.hasPasswords && <PasswordSection session={session} />}
          <TwoFactorSection session={session} />
          <Passkeys session={session} />
          {facts.providers.length > 0 && <LinkedIdentities session={session} />}
          {facts.sendsMail && <SecurityEmails session={session} />}
          <Sessions session={session} />
        </div>
        <div>
          <LanguageSection />
          <UnitsSection />
          <LetterSection />
          <AllowedApps session={session} />
          <WebhooksSection />
          <SharedSecrets session={session} />
          <StorageSection />
          <ExportData />
          <DeleteAccount />
        </div>
      </div>
    </Sheet>
  )
}
