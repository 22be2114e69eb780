/** Which view is shown: by the page's address, and by the request that it names. */
import { useCallback, useEffect, useState } from 'preact/hooks'
import type { PageFacts, ServiceInfo } from './api.js'
import type { AuthRequest, NoRequest as NoRequestReason } from './auth-request.js'
import { speak } from './language.js'
import { Frame } from './parts/frame.js'
import { hrefOf, Surroundings, type Place } from './surroundings.js'
import { ConfirmEmail } from './views/confirm-email.js'
import { NoRequest } from './views/no-request.js'
import { OwnAccount } from './views/own-account.js'
import { Request } from './views/request.js'
import { ResetPassword } from './views/reset-password.js'

interface Props {
  readonly info: ServiceInfo
  readonly facts: PageFacts
  /** What an app asks for, if the address names a request. */
  readonly request: AuthRequest | NoRequestReason | undefined
}

export function App({ info, facts, request }: Props) {
  const [place, setPlace] = useState(currentPlace)
  const [resetToken, setResetToken] = useState(takeResetToken)
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

  const view = () => {
    if (place === 'reset-password')
      return <ResetPassword key={resetToken} resetToken={resetToken ?? undefined} />
    if (place === 'confirm-email') return <ConfirmEmail />
    if (request === undefined || place === 'change-password') return <OwnAccount place={place} />
    return typeof request === 'string' ? (
      <NoRequest reason={request} />
    ) : (
      <Request request={request} place={place} />
    )
  }
  return (
    <Surroundings.Provider value={{ info, facts, go }}>
      <Frame tag={tag} onLanguage={wanted => void speak([wanted]).then(() => setTag(wanted))}>
        {view()}
      </Frame>
    </Surroundings.Provider>
  )
}

/** The token of a mailed link; it does not stay in the address, nor in the history. */
function takeResetToken(): string | null {
  const url = new URL(location.href)
  const token = url.searchParams.get('resetToken')
  url.searchParams.delete('resetToken')
  if (token !== null) history.replaceState(null, '', url)
  return token
}

function currentPlace(): Place {
  const name = location.pathname.split('/').at(-1)!.split('.')[0]!
  const places: readonly string[] = ['register', 'reset-password', 'change-password', 'confirm-email']
  return places.includes(name) ? (name as Place) : 'access'
}
