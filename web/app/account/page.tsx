/** The account page: sign-in, storage, sessions, deletion. */
import './style.css'
import { useContext, useMemo } from 'preact/hooks'
import type { Session } from '../../api.js'
import { rich, t } from '../../language.js'
import { Page as Sheet } from '../../parts/page.js'
import { Surroundings } from '../../surroundings.js'
import { useAccount } from '../data/account.js'
import { hrefTo, visit, type PageProps } from '../route.js'
import { Allowed } from './allowed.js'
import { Deletion } from './deletion.js'
import { ChangeEmail, EmailAddress } from './email-address.js'
import { Language } from './language.js'
import { Linked } from './linked.js'
import { Notices } from './notices.js'
import { Passkeys } from './passkeys.js'
import { ChangePassword, PasswordSection } from './password.js'
import { Sessions } from './sessions.js'
import { Storage } from './storage.js'
import { TakeOut } from './take-out.js'
import { TwoFactor, TwoFactorSection } from './two-factor.js'
import { Units } from './units.js'
import { Webhooks } from './webhooks.js'

/** Parts shown on a page of their own, by their ids in the URL. */
const parts = new Map([
  ['email', ChangeEmail],
  ['password', ChangePassword],
  ['two-factor', TwoFactor]
])

export default function Page({ id = '' }: PageProps) {
  const { username } = useAccount()
  const session = useMemo<Session>(() => ({ username }), [username])
  const Part = parts.get(id)
  if (!Part) return <Overview session={session} />
  return (
    <div class="card one-thing">
      <Part session={session} onBack={() => visit(hrefTo(username, { page: 'account' }))} />
    </div>
  )
}

function Overview({ session }: { readonly session: Session }) {
  const { facts } = useContext(Surroundings)
  return (
    <Sheet
      key="overview"
      title={t('shell.ownAccount')}
      lead={rich('account.lead', { username: <strong>{session.username}</strong> })}
    >
      <div class="cards">
        <div>
          <EmailAddress session={session} />
          {facts.hasPasswords && <PasswordSection session={session} />}
          <TwoFactorSection session={session} />
          <Passkeys session={session} />
          {facts.providers.length > 0 && <Linked session={session} />}
          {facts.sendsMail && <Notices session={session} />}
          <Sessions session={session} />
        </div>
        <div>
          <Language />
          <Units />
          <Allowed session={session} />
          <Webhooks />
          <Storage />
          <TakeOut />
          <Deletion />
        </div>
      </div>
    </Sheet>
  )
}
