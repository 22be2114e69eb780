/** One's own account, without an app that asks: signing in or registering, then looking after it. */
import { useContext, useState } from 'preact/hooks'
import { signOut, type Session } from '../api.js'
import { t } from '../language.js'
import { Surroundings, type Place } from '../surroundings.js'
import { Account } from './account.js'
import { ChangePassword } from './change-password.js'
import { Register } from './register.js'
import { SignIn } from './sign-in.js'

const accountAppId = 'coffer-account'

export function OwnAccount({ place }: { readonly place: Place }) {
  const { info, go } = useContext(Surroundings)
  const [session, setSession] = useState<Session>()
  const [isOut, setOut] = useState(false)
  const isChanging = place === 'change-password'

  const leave = (left: Session): void => {
    signOut(left)
    setSession(undefined)
    setOut(true)
  }
  const registered = (opened: Session): void => {
    go('access')
    setSession(opened)
  }

  if (session)
    return isChanging ? (
      <ChangePassword session={session} />
    ) : (
      <Account session={session} onSession={setSession} onLeave={() => leave(session)} />
    )
  if (place === 'register') return <Register appId={accountAppId} onSignedIn={registered} />
  const lead = isOut ? 'signIn.out' : isChanging ? 'change.signIn' : 'signIn.lead'
  return (
    <SignIn
      key={place}
      appId={accountAppId}
      title={t(isChanging ? 'change.title' : 'signIn.title')}
      lead={t(lead, { service: info.name })}
      onSignedIn={setSession}
    />
  )
}
