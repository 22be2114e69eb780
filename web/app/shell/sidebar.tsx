/** The sidebar: links to pages, and the tree of streams with what they contain in numbers. */
import { useMemo, useState } from 'preact/hooks'
import { getLocale, t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { getStreamColour } from '../data/stream-colours.js'
import type { Stream } from '../data/model.js'
import { useStore } from '../data/store.js'
import { AppLink } from '../parts/app-link.js'
import { ExpandButton } from '../parts/expand-button.js'
import type { Route } from '../route.js'
import { useNavLinks } from './nav-links.js'

/** Shows the links; guests get fewer. */
export function Sidebar({ route }: { readonly route: Route }) {
  const { isOwner } = useAccount()
  const renderLinks = useNavLinks(route.page)
  return (
    <nav class="side" aria-label={t('shell.main')}>
      {isOwner && renderLinks('today.clock')}
      {renderLinks('timeline.lines table map photos.photo')}
      {isOwner && renderLinks('compare.link')}
      <h2>
        <AppLink to={{ page: 'streams' }} isCurrent={route.page === 'streams' && route.id === undefined}>
          {t('shell.streams')}
        </AppLink>
      </h2>
      <StreamTree here={route.page === 'streams' ? route.id : undefined} />
      {isOwner && (
        <div class="foot">
          {renderLinks('shared.eye people channels.bell import connect.phone account.person')}
        </div>
      )}
    </nav>
  )
}

/** The tree of streams, with the number of events in each and below. `here` is the stream that the page shows. */
function StreamTree({ here }: { readonly here: string | undefined }) {
  const account = useAccount()
  const tree = useStore(account.tree)
  const streamFacts = useStore(account.facts)
  const ownCounts = useMemo(() => {
    const counts = new Map<string, number>()
    for (const { shownCount, streamId } of streamFacts)
      counts.set(streamId, (counts.get(streamId) ?? 0) + shownCount)
    return counts
  }, [streamFacts])
  const roots = tree?.roots.filter(({ trashed }) => !trashed) ?? []
  if (tree && roots.length === 0) return <p class="hint">{t('shell.noStreams')}</p>
  const path = here === undefined ? [] : (tree?.getPath(here).map(({ id }) => id) ?? [])
  return (
    <ul class="tree">
      {roots.map(stream => (
        <Branch key={stream.id} stream={stream} ownCounts={ownCounts} path={path} here={here} />
      ))}
    </ul>
  )
}

interface BranchProps {
  readonly stream: Stream
  /** Number of events in each stream, without those below. */
  readonly ownCounts: ReadonlyMap<string, number>
  /** Ids of the ancestors of the current stream. */
  readonly path: readonly string[]
  readonly here: string | undefined
}

/** Shows a stream with its number of events, and the streams below it if open. */
function Branch({ stream, ownCounts, path, here }: BranchProps) {
  const children = stream.children.filter(({ trashed }) => !trashed)
  const [isOpen, setOpen] = useState(stream.parentId === null || path.includes(stream.id))
  const name = toPlainText(stream.name)
  const count = countEvents(stream, ownCounts)
  return (
    <li>
      <div class={stream.id === here ? 'here' : undefined}>
        {children.length > 0 ? (
          <ExpandButton isOpen={isOpen} name={name} onTurn={() => setOpen(!isOpen)} />
        ) : (
          <span />
        )}
        <i class="dot" style={{ '--c': getStreamColour(stream) }} />
        <AppLink to={{ page: 'streams', id: stream.id }} isCurrent={stream.id === here}>
          {name}
        </AppLink>
        <span class="n">{count > 0 ? formatCompact(count) : ''}</span>
      </div>
      {isOpen && children.length > 0 && (
        <ul>
          {children.map(child => (
            <Branch key={child.id} stream={child} ownCounts={ownCounts} path={path} here={here} />
          ))}
        </ul>
      )}
    </li>
  )
}

/** Returns the number of events in a stream and all below it. */
function countEvents(stream: Stream, ownCounts: ReadonlyMap<string, number>): number {
  return stream.children.reduce(
    (sum, child) => sum + countEvents(child, ownCounts),
    ownCounts.get(stream.id) ?? 0
  )
}

function formatCompact(count: number): string {
  return new Intl.NumberFormat(getLocale(), count < 10_000 ? {} : { notation: 'compact' }).format(count)
}
