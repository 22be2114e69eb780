/** All accesses as lanes over a time axis, and the form that shares data. */
import { useCallback, useEffect, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { getEnd } from '../data/access-facts.js'
import { useAccount } from '../data/account.js'
import { useReading } from '../data/reading.js'
import type { Access } from '../data/model.js'
import { useStore } from '../data/store.js'
import { Dialog } from '../parts/dialog.js'
import { AppLink } from '../parts/app-link.js'
import { Icon } from '../parts/icon.js'
import { StepButtons } from '../parts/step-buttons.js'
import { formatDateTime } from '../parts/format-time.js'
import { Tabs } from '../parts/tabs.js'
import { ReadProblem } from '../parts/read-problem.js'
import { buildHref, navigate } from '../route.js'
import { getDisplayName, readAccessGroups, listGrants, type AccessGroups } from './accesses.js'
import { describeEnd } from './describe-access.js'
import { Axis } from './axis.js'
import type { Call } from '../data/calls.js'
import { AccessLane } from './access-lane.js'
import { describeCall } from './describe-call.js'
import { ShareForm } from './share-form.js'
import { parseRange, parseSpan, spans, stepRange, type Range } from './spans.js'

/** Shows the lanes, grouped; ended ones last. Span and other choices are kept in the URL. */
export function Overview({ query }: { readonly query: URLSearchParams }) {
  const account = useAccount()
  const current = useStore(account.accesses)
  const { read: groups, problem } = useReading(async () => await readAccessGroups(account), [current])
  const [isSharing, setSharing] = useState(false)
  const isWide = useIsWide()
  useEffect(() => {
    document.title = t('shared.title')
  }, [])
  const range = parseRange(query)
  return (
    <div class={isWide ? 'with-form' : undefined}>
      <div class="main">
        <header class="head">
          <h1>{t('shared.title')}</h1>
          <p class="when">{groups ? describeCounts(groups) : ' '}</p>
          <TimeSpan query={query} range={range} />
          <AppLink to={{ page: 'report' }} class="button print">
            <Icon name="print" />
            {t('shell.printReport')}
          </AppLink>
          {!isWide && (
            <button type="button" class="button share" onClick={() => setSharing(true)}>
              <Icon name="link" />
              {t('shared.shareData')}
            </button>
          )}
        </header>
        {problem !== undefined && <ReadProblem message={problem} />}
        {groups && <AccessLanes groups={groups} query={query} range={range} />}
        {groups && groups.ended.length > 0 && <EndedAccesses groups={groups} />}
      </div>
      {isWide && !isSharing && (
        <aside class="card form" aria-label={t('shared.shareData')}>
          <h2>{t('shared.shareData')}</h2>
          <ShareForm />
        </aside>
      )}
      {/* The form keeps its state when the window is resized. */}
      {isSharing && (
        <Dialog title={t('shared.shareData')} onClose={() => setSharing(false)}>
          <ShareForm />
        </Dialog>
      )}
    </div>
  )
}

/** Returns whether the form fits beside the lanes. */
function useIsWide(): boolean {
  const query = '(min-width: 76rem)'
  const [isWide, setWide] = useState(() => matchMedia(query).matches)
  useEffect(() => {
    const list = matchMedia(query)
    const follow = (): void => setWide(list.matches)
    list.addEventListener('change', follow)
    return () => list.removeEventListener('change', follow)
  }, [])
  return isWide
}

function describeCounts({ shared, apps }: AccessGroups): string {
  if (shared.length + apps.length === 0) return t('shared.nobody')
  return [
    ...(shared.length > 0 ? [t('shared.linkCount', { count: shared.length })] : []),
    ...(apps.length > 0 ? [t('shared.appCount', { count: apps.length })] : [])
  ].join(', ')
}

/** Lets the user choose the length of the range, and move it. */
function TimeSpan({ query, range }: { readonly query: URLSearchParams; readonly range: Range }) {
  const { username } = useAccount()
  const span = parseSpan(query)
  const isToday = range.to > Date.now() / 1000
  const go = (changes: { readonly span?: string; readonly to?: string | undefined }): void =>
    navigate(buildHref(username, { page: 'shared', query: { span, ...changes } }), true)
  const to = query.get('to') ?? undefined
  return (
    <div class="steps-of-time">
      <Tabs
        label={t('span.label')}
        choices={spans}
        chosen={span}
        textOf={each => t(`span.${each}`)}
        onChoose={each => go({ span: each, to })}
      />
      <StepButtons
        onEarlier={() => go({ to: stepRange(range, span, -1) })}
        onLater={isToday ? undefined : () => go({ to: stepRange(range, span, 1) })}
      >
        <button type="button" class="square today" disabled={isToday} onClick={() => go({ to: undefined })}>
          {t('shell.today')}
        </button>
      </StepButtons>
    </div>
  )
}

/** Lanes shown initially in each group. */
const initialCount = 20

interface LanesProps {
  readonly groups: AccessGroups
  readonly query: URLSearchParams
  readonly range: Range
}

/** Shows a lane for each access, in groups, and the latest denied call. */
function AccessLanes({ groups, query, range }: LanesProps) {
  const { shared, apps, appNames } = groups
  const [showsAll, setShowsAll] = useState(false)
  const [denied, setDenied] = useState<ReadonlyMap<string, DeniedCall>>(new Map())
  const noteCalls = useCallback((access: Access, calls: readonly Call[]): void => {
    const call = calls.find(({ kind }) => kind === 'refused')
    setDenied(before => {
      const after = new Map(before)
      if (call) after.set(access.id, { access, call })
      else after.delete(access.id)
      return after
    })
  }, [])
  if (shared.length + apps.length === 0)
    return (
      <div class="card nobody">
        <Icon name="lock" />
        <p>{t('shared.nobodyLead')}</p>
      </div>
    )
  const latest = [...denied.values()].toSorted((a, b) => b.call.time - a.call.time)[0]
  const group = (title: string, accesses: readonly Access[]) =>
    accesses.length > 0 && (
      <>
        <h2>{title}</h2>
        {(showsAll ? accesses : accesses.slice(0, initialCount)).map(access => (
          <AccessLane key={access.id} access={access} appNames={appNames} range={range} onCalls={noteCalls} />
        ))}
      </>
    )
  return (
    <div class="card lanes">
      <p class="key">
        <span>
          <i class="looked" />
          {t('shared.viewed')}
        </span>
        <span>
          <i class="added" />
          {t('shared.added')}
        </span>
        <span>
          <Icon name="close" />
          {t('shared.denied')}
        </span>
      </p>
      {group(t('shared.people'), shared)}
      {group(t('shared.apps'), apps)}
      {!showsAll && Math.max(shared.length, apps.length) > initialCount && (
        <button type="button" class="text more" onClick={() => setShowsAll(true)}>
          {t('shared.all')}
        </button>
      )}
      <Axis range={range} span={parseSpan(query)} />
      {latest && <LatestDenied {...latest} appNames={appNames} />}
    </div>
  )
}

interface DeniedCall {
  readonly access: Access
  readonly call: Call
}

function LatestDenied({ access, call, appNames }: DeniedCall & Pick<AccessGroups, 'appNames'>) {
  const tree = useStore(useAccount().tree)
  return (
    <p class="say num">
      {formatDateTime(call.time)}, <b>{getDisplayName(access, appNames)}</b>: {describeCall(call, tree)}.{' '}
      <AppLink to={{ page: 'shared', id: access.id }}>{t('shared.viewActivity')}</AppLink>
    </p>
  )
}

/** Lists the accesses that have ended. */
function EndedAccesses({ groups: { ended, appNames } }: { readonly groups: AccessGroups }) {
  const tree = useStore(useAccount().tree)
  const [showsAll, setShowsAll] = useState(false)
  return (
    <details class="card ended">
      <summary>
        {t('shared.revoked')} <span class="count num">{ended.length}</span>
      </summary>
      <ul>
        {(showsAll ? ended : ended.slice(0, initialCount)).map(access => (
          <li key={access.id}>
            <AppLink to={{ page: 'shared', id: access.id }}>{getDisplayName(access, appNames)}</AppLink>
            <span class="num">{Number.isFinite(getEnd(access)) ? describeEnd(access) : ''}</span>
            <small>
              {listGrants(access.permissions, tree)
                .map(({ name }) => name)
                .join(', ')}
            </small>
          </li>
        ))}
      </ul>
      {!showsAll && ended.length > initialCount && (
        <button type="button" class="text more" onClick={() => setShowsAll(true)}>
          {t('shared.all')}
        </button>
      )}
    </details>
  )
}
