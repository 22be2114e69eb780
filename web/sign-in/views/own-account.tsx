/** The user's own account, without a request of an app: signing in or registering, then managing it. */
import { useContext, useEffect, useState } from 'preact/hooks'
import { keepSession, leave as leaveService, readKeptSession, type Session } from '../../api.js'
import { t } from '../../language.js'
import { Surroundings, type Place } from '../../surroundings.js'
import { SignInSections } from '../passkeys/sections.js'
import { Account } from './account.js'
import { ChangePassword } from './change-password.js'
import { Register } from './register.js'
import { SignIn } from './sign-in.js'

const accountAppId = 'coffer-account'

interface Props {
  readonly place: Place
  /** Whether the session outlives a reload. Not beside the request of an app, which needs a token. */
  readonly isKept: boolean
}

export function OwnAccount({ isKept, place }: Props) {
  const { info, go } = useContext(Surroundings)
  const [session, setSession] = useState<Session>()
  const [isOut, setOut] = useState(false)
  const [isAsked, setAsked] = useState(!isKept)
  const isChanging = place === 'change-password'
  useEffect(() => {
    if (!isKept) return
    // A reload does not end the session, which is in a cookie that no script can read.
    keepSession()
    readKeptSession().then(
      kept => {
        if (kept && place !== 'register') setSession(kept)
        setAsked(true)
      },
      () => setAsked(true)
    )
  }, [])

  const leave = (left: Session): void => {
    leaveService(left)
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
      <Account
        session={session}
        onSession={setSession}
        onLeave={() => leave(session)}
        further={<SignInSections session={session} />}
      />
    )
  if (!isAsked) return null
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
