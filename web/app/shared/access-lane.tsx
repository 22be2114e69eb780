/** One access in the overview: name, permissions, and calls over time. */
import { useEffect, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { useAccount } from '../data/account.js'
import type { Access } from '../data/model.js'
import { useStore } from '../data/store.js'
import { AppLink } from '../parts/app-link.js'
import { Icon } from '../parts/icon.js'
import { type AccessGroups, getDisplayName, getLevelKey, type Grant, listGrants } from './accesses.js'
import { describeAccess } from './describe-access.js'
import { CallLane } from './call-lane.js'
import { readLaneCalls, type Call, type CallKind } from '../data/calls.js'
import type { Range } from './spans.js'

interface Props {
  readonly access: Access
  readonly appNames: AccessGroups['appNames']
  readonly range: Range
  /** Called when the calls have been read. */
  readonly onCalls?: (access: Access, calls: readonly Call[]) => void
}

/**
 * Reads and shows the calls in `range`, and passes them to `onCalls`. If they cannot be read, shows only the
 * permissions.
 */
export function AccessLane({ access, appNames, range, onCalls }: Props) {
  const account = useAccount()
  const tree = useStore(account.tree)
  const [calls, setCalls] = useState<readonly Call[]>([])
  useEffect(() => {
    let isGone = false
    readLaneCalls(account.client, access.id, range.from, range.to).then(
      read => {
        if (isGone) return
        setCalls(read)
        onCalls?.(access, read)
      },
      // Without calls, the row still shows the permissions.
      () => undefined
    )
    return () => {
      isGone = true
    }
  }, [access.id, access.lastUsed, range.from, range.to])
  const grants = listGrants(access.permissions, tree)
  const name = getDisplayName(access, appNames)
  return (
    <section class="lane">
      <header>
        <AccessIcon access={access} name={name} />
        <h3>
          <AppLink to={{ page: 'shared', id: access.id }}>{name}</AppLink>
        </h3>
        <p class="until num">{describeAccess(access, grants)}</p>
        <GrantChips grants={grants} />
      </header>
      <CallLane calls={calls} range={range} label={describeCalls(name, calls)} />
    </section>
  )
}

/** The icon of an access: round for links, square for apps. */
export function AccessIcon({ access, name }: { readonly access: Access; readonly name: string }) {
  const isApp = access.type === 'app'
  return (
    <span class={isApp ? 'who-face app' : 'who-face link'} aria-hidden="true">
      {isApp ? name.charAt(0).toUpperCase() : <Icon name="link" />}
    </span>
  )
}

function describeCalls(name: string, calls: readonly Call[]): string {
  const count = (kind: CallKind): number => calls.filter(call => call.kind === kind).length
  return t('shared.lane', { name, looks: count('look'), adds: count('add'), refused: count('refused') })
}

const maxChips = 6

/** Shows up to six streams as chips, with levels if they differ, then the number of others. */
function GrantChips({ grants }: { readonly grants: readonly Grant[] }) {
  const differ = new Set(grants.map(({ level }) => level)).size > 1
  const shown = grants.slice(0, maxChips)
  return (
    <ul class="grants-short">
      {shown.map(({ streamId, name, level, colour }) => (
        <li key={streamId} class={level === 'none' ? 'not' : undefined}>
          <i class="dot" style={{ '--c': colour ?? 'var(--ink)' }} />
          {name}
          {differ && <small>{t(getLevelKey([level]))}</small>}
        </li>
      ))}
      {grants.length > shown.length && (
        <li>{t('shell.moreStreams', { count: grants.length - shown.length })}</li>
      )}
    </ul>
  )
}
