/** Which view is shown: by the page's address, by the request that it names, by whether somebody has signed in. */
import { useCallback, useEffect, useState } from 'preact/hooks'
import { signOut, type ServiceInfo, type Session } from './api.js'
import { decide, type AuthRequest, type Decision, type NoRequest as NoRequestReason } from './auth-request.js'
import { rich, speak, t } from './language.js'
import { Frame } from './parts/frame.js'
import { hrefOf, Surroundings, type Place } from './surroundings.js'
import { Account } from './views/account.js'
import { ChangePassword } from './views/change-password.js'
import { Consent } from './views/consent.js'
import { Finished } from './views/finished.js'
import { NoRequest } from './views/no-request.js'
import { Register } from './views/register.js'
import { ResetPassword } from './views/reset-password.js'
import { SignIn } from './views/sign-in.js'

interface Props {
  readonly info: ServiceInfo
  /** What an app asks for, if the address names a request. */
  readonly request: AuthRequest | NoRequestReason | undefined
}

interface End {
  readonly isAccepted: boolean
  readonly target: string | undefined
}

/** Sessions of requests end with them; those of the account page are apart, and end by its button. */
const requestAppId = 'coffer-sign-in'
const accountAppId = 'coffer-account'

export function App({ info, request }: Props) {
  const [place, setPlace] = useState(currentPlace)
  const [resetToken, setResetToken] = useState(() => new URLSearchParams(location.search).get('resetToken'))
  const [session, setSession] = useState<Session>()
  const [end, setEnd] = useState<End>()
  const [isOut, setOut] = useState(false)
  const [over, setOver] = useState<NoRequestReason>()
  const [tag, setTag] = useState(document.documentElement.lang)

  useEffect(() => {
    const follow = (): void => setPlace(currentPlace())
    addEventListener('popstate', follow)
    return () => removeEventListener('popstate', follow)
  }, [])
  const go = useCallback((to: Place): void => {
    history.pushState(null, '', hrefOf(to))
    setResetToken(null)
    setPlace(to)
    scrollTo(0, 0)
  }, [])
  const leave = (): void => {
    if (session) signOut(session)
    setSession(undefined)
  }

  const view = () => {
    if (place === 'reset-password')
      return <ResetPassword key={resetToken} resetToken={resetToken ?? undefined} />
    if (typeof request === 'string' && place !== 'change-password') return <NoRequest reason={request} />
    if (typeof request === 'object' && place !== 'change-password') return ask(request)
    if (place === 'register' && !session)
      return (
        <Register
          appId={accountAppId}
          onSignedIn={opened => {
            go('access')
            setSession(opened)
          }}
        />
      )
    const isChanging = place === 'change-password'
    if (!session)
      return (
        <SignIn
          key={place}
          appId={accountAppId}
          title={t(isChanging ? 'change.title' : 'signIn.title')}
          lead={t(isOut ? 'signIn.out' : isChanging ? 'change.signIn' : 'signIn.lead', {
            service: info.name
          })}
          onSignedIn={setSession}
        />
      )
    return isChanging ? (
      <ChangePassword session={session} />
    ) : (
      <Account
        session={session}
        onSession={setSession}
        onLeave={() => {
          leave()
          setOut(true)
        }}
      />
    )
  }

  const ask = (asked: AuthRequest) => {
    const { app } = asked
    const onDecided = async (decision: Decision): Promise<void> => {
      const outcome = await decide(asked, decision)
      leave()
      if ('late' in outcome) setOver(outcome.late)
      else setEnd({ isAccepted: decision.status === 'ACCEPTED', target: outcome.target })
    }
    const lead = rich('signIn.leadApp', { app: <strong>{app}</strong> })
    const registerLead = rich('register.leadApp', { app: <strong>{app}</strong> })
    if (over) return <NoRequest reason={over} />
    if (end) return <Finished app={app} {...end} />
    if (session) return <Consent request={asked} session={session} onDecided={onDecided} onLeave={leave} />
    if (place === 'register')
      return (
        <Register
          lead={registerLead}
          appId={asked.requestingAppId}
          referer={asked.referer}
          onSignedIn={setSession}
        />
      )
    return <SignIn title={t('signIn.title')} lead={lead} appId={requestAppId} onSignedIn={setSession} />
  }

  return (
    <Surroundings.Provider value={{ info, go }}>
      <Frame tag={tag} onLanguage={wanted => void speak([wanted]).then(() => setTag(wanted))}>
        {view()}
      </Frame>
    </Surroundings.Provider>
  )
}

function currentPlace(): Place {
  const name = location.pathname
    .split('/')
    .at(-1)!
    .replace(/\.html$/, '')
  const places: readonly string[] = ['register', 'reset-password', 'change-password']
  return places.includes(name) ? (name as Place) : 'access'
}
