/** The app: signing in, or the pages of an account. Shared links are shown by `guest/guest.tsx`. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { leave as leaveService, root, type PageFacts, type ServiceInfo } from '../api.js'
import { language, speak, t } from '../language.js'
import { hrefInApp, Surroundings, type Place } from '../surroundings.js'
import { Account, AccountContext } from './data/account.js'
import { languageWish } from './data/language-wish.js'
import { explain, type Message } from '../problem.js'
import { Pages } from './shell/pages.js'
import type { Door as DoorView } from './shell/door.js'
import { Unreachable } from './shell/unreachable.js'
import { hrefTo, routeOf, useAddress, visit, appRoot } from './route.js'

interface Props {
  readonly info: ServiceInfo
  readonly facts: PageFacts
  /** The user signed in with this browser. */
  readonly username: string | undefined
}

export function App({ info, facts, username }: Props) {
  const address = useAddress()
  const route = routeOf(address)
  // An invitation can be used even while another user is signed in.
  const isRegistering = address.searchParams.has('register')
  const [signedIn, setUser] = useState(username)
  const user = isRegistering ? undefined : signedIn
  const [account, setAccount] = useState<Account>()
  const [problem, setProblem] = useState<Message>()
  const [tag, setTag] = useState(document.documentElement.lang)
  const [hasEnded, setEnded] = useState(false)
  const [SignIn, setSignIn] = useState<typeof DoorView>()

  useEffect(() => {
    if (user === undefined) return undefined
    let isGone = false
    const show = (opened: Account, wanted: string): void => {
      setTag(wanted)
      if (isGone) opened.close()
      else setAccount(opened)
    }
    const opening = Account.open(user).then(
      opened => {
        if (isGone) return opened.close()
        opened.client.onEnd(() => showSignIn(true))
        const wanted = languageWish.value
        if (wanted !== undefined && wanted !== language())
          void speak([wanted]).then(() => show(opened, wanted))
        else setAccount(opened)
        return undefined
      },
      (error: unknown) => {
        if (!isGone) setProblem(explain(error).message)
      }
    )
    return () => {
      isGone = true
      void opening
      setAccount(undefined)
    }
  }, [user])
  // Signed-in users do not need to load it.
  useEffect(() => {
    if (user === undefined && !SignIn)
      import('./shell/door.js').then(
        module => setSignIn(() => module.Door),
        () => setProblem(t('error.offline'))
      )
  }, [user])
  useEffect(() => () => account?.close(), [account])
  useEffect(() => {
    if (user === undefined || route.user === user) return
    const { id, page } = route
    const target = { page, ...(id === undefined ? {} : { id }) }
    visit(hrefTo(user, route.user === undefined ? target : { page: 'timeline' }), true)
  }, [user, route.user])

  const showSignIn = (over: boolean): void => {
    setUser(undefined)
    setEnded(over)
  }
  const surroundings = useMemo<Surroundings>(() => {
    // The query string may contain private data, such as a search. It must not reach the sign-in pages.
    const hrefHere = (place: Place): string => hrefInApp(place) ?? new URL(`access/${place}.html`, root).href
    const go = (place: Place): void => {
      if (hrefInApp(place) !== undefined) visit(hrefHere(place))
      else location.assign(hrefHere(place))
    }
    return { info, facts, go, hrefOf: hrefHere }
  }, [info, facts])
  const onLanguage = (wanted: string): void => void speak([wanted]).then(() => setTag(wanted))
  useEffect(
    () =>
      languageWish.follow(wanted => {
        if (wanted !== undefined && account) onLanguage(wanted)
      }),
    [account]
  )

  const view = () => {
    if (problem !== undefined) return <Unreachable message={problem} />
    if (user === undefined)
      return (
        SignIn && (
          <SignIn
            isOver={hasEnded}
            isRegistering={isRegistering}
            onSignedIn={session => {
              setEnded(false)
              setUser(session.username)
            }}
            tag={tag}
            onLanguage={onLanguage}
          />
        )
      )
    if (!account) return null
    return (
      <AccountContext.Provider value={account}>
        <Pages
          route={{ ...route, user }}
          tag={tag}
          onLanguage={wanted => void account.wishLanguage(wanted).catch(() => undefined)}
          onLeave={() => {
            leaveService({ username: user })
            visit(appRoot.href)
            showSignIn(false)
          }}
        />
      </AccountContext.Provider>
    )
  }
  return <Surroundings.Provider value={surroundings}>{view()}</Surroundings.Provider>
}
