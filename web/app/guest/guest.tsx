/** A shared link: the pages of an account that its token may see, without a session. */
import { render } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { readPageFacts, readServiceInfo, Refusal, type PageFacts, type ServiceInfo } from '../../api.js'
import { speak, t } from '../../language.js'
import { Mast } from '../../parts/frame.js'
import { explain } from '../../problem.js'
import { hrefOf, Surroundings } from '../../surroundings.js'
import { Account, AccountContext } from '../data/account.js'
import { takeLink, type Shared, type Taken } from '../data/link.js'
import {
  appRoot,
  hrefTo,
  routeOf,
  sharedName,
  showUnder,
  useAddress,
  visit,
  type PageName
} from '../route.js'
import { Pages } from '../shell/pages.js'
import { Unreachable } from '../shell/unreachable.js'
import { addTextsOf } from '../texts.js'
import { Banner } from './banner.js'
import './style.css'

/** Pages available to shared links. Others redirect to the timeline. */
const guestPages: readonly PageName[] = ['timeline', 'streams', 'events', 'table', 'map', 'photos']

/** Shows the contents of a shared link. */
export async function show(page: Element, link: Taken): Promise<void> {
  showUnder(sharedName)
  await addTextsOf('guest')
  try {
    const [info, facts] = await Promise.all([readServiceInfo(), readPageFacts()])
    render(<Guest info={info} facts={facts} first={link} />, page)
  } catch (error) {
    render(<Unreachable message={explain(error).message} />, page)
  }
}

/** Why nothing is shown. */
type EmptyReason = 'none' | 'broken' | 'ended' | 'left' | 'own'

interface Props {
  readonly info: ServiceInfo
  readonly facts: PageFacts
  readonly first: Taken
}

function Guest({ info, facts, first }: Props) {
  const route = routeOf(useAddress())
  const [link, setLink] = useState<Shared | EmptyReason>(first)
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
        if (opened.isOwner) setLink('own')
        else setAccount(opened)
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
      visit(hrefTo(sharedName, { page: guestPages.includes(route.page) ? route.page : 'timeline' }), true)
  }, [account, route.page])

  const surroundings = useMemo<Surroundings>(
    () => ({ info, facts, go: () => undefined, hrefOf }),
    [info, facts]
  )
  const onLanguage = (wanted: string): void => void speak([wanted]).then(() => setTag(wanted))
  const view = () => {
    if (problem !== undefined) return <Unreachable message={explain(problem).message} />
    if (typeof link === 'string') return <EmptyView why={link} name={info.name} />
    if (!account || !guestPages.includes(route.page)) return <p class="loading">{t('loading')}</p>
    return (
      <AccountContext.Provider value={account}>
        <Pages
          route={{ ...route, user: sharedName }}
          tag={tag}
          onLanguage={onLanguage}
          onLeave={() => setLink('left')}
          banner={<Banner key={tag} />}
        />
      </AccountContext.Provider>
    )
  }
  return <Surroundings.Provider value={surroundings}>{view()}</Surroundings.Provider>
}

/** Returns whether an error means that the link is invalid. An unknown account is not distinguished from an unknown token. */
function isInvalidLink(error: unknown): boolean {
  return error instanceof Refusal && /^(?:invalid-access-token|unknown-resource|forbidden)$/.test(error.id)
}

function EmptyView({ why, name }: { readonly why: EmptyReason; readonly name: string }) {
  useEffect(() => {
    document.title = name
  }, [name])
  return (
    <div class="guest-nothing">
      <Mast name={name} />
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
