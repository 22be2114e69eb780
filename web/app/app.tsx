/** The app: signing in, or the pages of an account. Shared links are shown by `guest/guest.tsx`. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { signOutEverywhere as leaveService, root, type PageSettings, type ServiceInfo } from '../api.js'
import { getLanguage, setLanguage, t } from '../language.js'
import { findAppHref, PageContext, type PageId } from '../page-context.js'
import { Account, AccountContext, preferredLanguage } from './data/account.js'
import { explainError, type Message } from '../explain-error.js'
import { AppLayout } from './shell/app-layout.js'
import type { SignInPage as DoorView } from './shell/sign-in-page.js'
import { Unreachable } from './shell/unreachable.js'
import { buildHref, firstPage, parseRoute, useAddress, navigate, appRoot } from './route.js'
import { Skeleton } from './parts/skeleton.js'
import { showFailure } from './parts/toast.js'

interface Props {
  readonly info: ServiceInfo
  readonly facts: PageSettings
  /** The user signed in with this browser. */
  readonly username: string | undefined
}

/**
 * Shows the page of the current address, or the sign-in page if no user is signed in or the session ends.
 * Opens and closes the account. If the address names another user, leads to the page of the signed-in one.
 */
export function App({ info, facts, username }: Props) {
  const address = useAddress()
  const route = parseRoute(address)
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
    const open = async (): Promise<void> => {
      const opened = await Account.open(user)
      if (isGone) return opened.close()
      const name = opened.info.user?.username
      // The address or the session may have a former name.
      if (name !== undefined && name !== user) {
        opened.close()
        return setUser(name)
      }
      opened.client.onEnd(() => showSignIn(true))
      const wanted = preferredLanguage.value
      if (wanted !== undefined && wanted !== getLanguage()) {
        await setLanguage([wanted])
        setTag(wanted)
      }
      if (isGone) opened.close()
      else setAccount(opened)
    }
    open().catch((error: unknown) => {
      if (!isGone) setProblem(explainError(error).message)
    })
    return () => {
      isGone = true
      setAccount(undefined)
    }
  }, [user])
  // Signed-in users do not need to load it.
  useEffect(() => {
    if (user === undefined && !SignIn)
      import('./shell/sign-in-page.js').then(
        module => setSignIn(() => module.SignInPage),
        () => setProblem(t('error.offline'))
      )
  }, [user])
  useEffect(() => () => account?.close(), [account])
  useEffect(() => {
    if (user === undefined || route.user === user) return
    const { id, page } = route
    // Apps hand over what the page is to answer.
    const query = page === 'people' ? { query: Object.fromEntries(route.query) } : {}
    const target = { page, ...(id === undefined ? {} : { id }), ...query }
    navigate(buildHref(user, route.user === undefined ? target : { page: firstPage }), true)
  }, [user, route.user])

  const showSignIn = (over: boolean): void => {
    setUser(undefined)
    setEnded(over)
  }
  const surroundings = useMemo<PageContext>(() => {
    // The query string may contain private data, such as a search. It must not reach the sign-in pages.
    const hrefHere = (place: PageId): string =>
      findAppHref(place) ?? new URL(`access/${place}.html`, root).href
    const go = (place: PageId): void => {
      if (findAppHref(place) !== undefined) navigate(hrefHere(place))
      else location.assign(hrefHere(place))
    }
    return { info, facts, go, getHref: hrefHere }
  }, [info, facts])
  const onLanguage = (wanted: string): void => void setLanguage([wanted]).then(() => setTag(wanted))
  useEffect(
    () =>
      preferredLanguage.follow(wanted => {
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
    if (!account)
      return (
        <>
          <div class="lid-blank" />
          <main class="page">
            <Skeleton kind="page" />
          </main>
        </>
      )
    return (
      <AccountContext.Provider value={account}>
        <AppLayout
          route={{ ...route, user }}
          tag={tag}
          onLanguage={wanted => void account.setLanguage(wanted).catch(() => undefined)}
          onLeave={() =>
            void endNotifications(account)
              .then(async () => await leaveService({ username: user }))
              .then(() => {
                navigate(appRoot.href)
                showSignIn(false)
              }, showFailure)
          }
        />
      </AccountContext.Provider>
    )
  }
  return <PageContext.Provider value={surroundings}>{view()}</PageContext.Provider>
}

/** Ends notifications in this browser, if it may show any. */
async function endNotifications({ client }: Account): Promise<void> {
  if (!('Notification' in globalThis) || Notification.permission !== 'granted') return
  await import('./channels/subscription.js').then(
    async ({ endSubscription }) => await endSubscription(client),
    () => undefined
  )
}
