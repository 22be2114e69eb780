/** A shared link: the pages of an account that its token may see, without a session. */
import { render } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks'
import { readPageSettings, readServiceInfo, Refusal, type PageSettings, type ServiceInfo } from '../../api.js'
import { setLanguage, t } from '../../language.js'
import { ServiceHeader } from '../../parts/page-layout.js'
import { Skeleton } from '../parts/skeleton.js'
import { explainError } from '../../explain-error.js'
import { getHref, PageContext } from '../../page-context.js'
import { Account, AccountContext } from '../data/account.js'
import { buildFragment, takeLink, type SharedLink, type LinkResult } from '../data/shared-link.js'
import {
  appRoot,
  buildHref,
  keepLink,
  parseRoute,
  sharedName,
  replaceUsername,
  useAddress,
  navigate,
  type PageName
} from '../route.js'
import { AppLayout } from '../shell/app-layout.js'
import { Unreachable } from '../shell/unreachable.js'
import { addModuleTexts } from '../texts.js'
import { GuestBanner } from './guest-banner.js'
import './style.css'

/** Pages available to shared links. Others redirect to the timeline. */
const guestPages: readonly PageName[] = ['timeline', 'streams', 'events', 'table', 'map', 'photos']

/** Shows the contents of a shared link, or why there are none. */
export async function showSharedLink(page: Element, link: LinkResult): Promise<void> {
  replaceUsername(sharedName)
  await addModuleTexts('guest')
  try {
    const [info, facts] = await Promise.all([readServiceInfo(), readPageSettings()])
    render(<Guest info={info} facts={facts} first={link} />, page)
  } catch (error) {
    render(<Unreachable message={explainError(error).message} />, page)
  }
}

/** Why nothing is shown. */
type EmptyReason = 'none' | 'broken' | 'ended' | 'left' | 'own'

interface Props {
  readonly info: ServiceInfo
  readonly facts: PageSettings
  readonly first: LinkResult
}

/**
 * Opens the link in the fragment of the URL, and shows its pages until it expires, is revoked or left. The owner's
 * own link is not opened.
 */
function Guest({ info, facts, first }: Props) {
  const route = parseRoute(useAddress())
  const [link, setLink] = useState<SharedLink | EmptyReason>(first)
  const [account, setAccount] = useState<Account>()
  const [problem, setProblem] = useState<unknown>()
  const [tag, setTag] = useState(document.documentElement.lang)

  // Another shared link may be opened in the same window.
  useEffect(() => {
    const onHashChange = (): void => {
      const newLink = takeLink()
      if (newLink !== 'none') setLink(newLink)
    }
    addEventListener('hashchange', onHashChange)
    return () => removeEventListener('hashchange', onHashChange)
  }, [])
  useEffect(() => {
    setProblem(undefined)
    if (typeof link === 'string') return undefined
    let isGone = false
    Account.open(link.username, link.token).then(
      opened => {
        if (isGone || opened.isOwner) opened.close()
        if (isGone) return
        opened.client.onEnd(() => setLink('ended'))
        if (opened.isOwner) return setLink('own')
        keepLink(buildFragment(link))
        setAccount(opened)
        return undefined
      },
      (error: unknown) => {
        if (isGone) return
        if (isInvalidLink(error)) setLink('ended')
        else setProblem(error)
      }
    )
    return () => {
      isGone = true
      setAccount(undefined)
    }
  }, [link])
  // Before anything else is shown: the next person at the device could reload the page.
  useLayoutEffect(() => {
    if (typeof link === 'string') keepLink(undefined)
  }, [link])
  useEffect(() => () => account?.close(), [account])
  useEffect(() => {
    const end = account?.info.expires
    if (end === undefined) return undefined
    const remainingMs = end * 1000 - Date.now()
    if (remainingMs > 2 ** 31 - 1) return undefined
    // Local clocks may be wrong: a call finds out whether the link has expired.
    const timer = setTimeout(
      () => void account?.readStreams().catch(() => undefined),
      Math.max(0, remainingMs)
    )
    return () => clearTimeout(timer)
  }, [account])
  useEffect(() => {
    if (
      account &&
      (location.pathname === new URL(sharedName, appRoot).pathname || !guestPages.includes(route.page))
    )
      navigate(
        buildHref(sharedName, { page: guestPages.includes(route.page) ? route.page : 'timeline' }),
        true
      )
  }, [account, route.page])

  const surroundings = useMemo<PageContext>(
    () => ({ info, facts, go: () => undefined, getHref }),
    [info, facts]
  )
  const onLanguage = (wanted: string): void => void setLanguage([wanted]).then(() => setTag(wanted))
  const view = () => {
    if (problem !== undefined) return <Unreachable message={explainError(problem).message} />
    if (typeof link === 'string') return <EmptyView why={link} name={info.name} />
    if (!account || !guestPages.includes(route.page)) return <Skeleton kind="page" />
    return (
      <AccountContext.Provider value={account}>
        <AppLayout
          route={{ ...route, user: sharedName }}
          tag={tag}
          onLanguage={onLanguage}
          onLeave={() => setLink('left')}
          banner={<GuestBanner key={tag} />}
        />
      </AccountContext.Provider>
    )
  }
  return <PageContext.Provider value={surroundings}>{view()}</PageContext.Provider>
}

/** Returns whether an error means that the link is invalid. An unknown account is not distinguished from an unknown token. */
function isInvalidLink(error: unknown): boolean {
  return error instanceof Refusal && /^(?:invalid-access-token|unknown-resource|forbidden)$/.test(error.id)
}

/** Says why there is nothing to see. */
function EmptyView({ why, name }: { readonly why: EmptyReason; readonly name: string }) {
  useEffect(() => {
    document.title = name
  }, [name])
  return (
    <div class="guest-nothing">
      <ServiceHeader name={name} />
      <main>
        <h1>{t(`guest.${why}`)}</h1>
        <p>{t(`guest.${why}Lead`)}</p>
        <p>
          <a href={appRoot.href}>{t('guest.toOwn')}</a>
        </p>
      </main>
    </div>
  )
}
