/** The timeline page: one time axis, a lane for each measure or stream, and one cursor. */
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { useAccount, type Account } from '../data/account.js'
import type { Followed } from '../data/followed.js'
import type { MeasureFact } from '../data/measures.js'
import type { Fact } from '../data/model.js'
import { ReadOrder } from '../data/read-order.js'
import { useStore } from '../data/store.js'
import type { Tree } from '../data/tree.js'
import type { Zones } from '../lanes/calendar.js'
import { lazy } from '../parts/lazy.js'
import { AppLink } from '../parts/app-link.js'
import { OwnerOnly } from '../parts/owner-only.js'
import { showFailure } from '../parts/toast.js'
import { WhoseChoice } from '../shell/whose.js'
import { buildHref, parseRoute, navigate, type PageProps } from '../route.js'
import { openAddDialog } from '../shell/adding.js'
import { TimelineHeader } from './timeline-header.js'
import { TimelineModel, settleMs } from './model.js'
import { addNewLanes, chooseDefaultLanes, planLane, type LanePlan } from '../lanes/plan-lane.js'
import { findMeasureLane, planMeasures } from '../lanes/plan-measure.js'
import { LaneStack } from './lane-stack.js'
import './style.css'

// This part is loaded after the lanes.
const Moment = lazy(async () => (await import('./later.js')).CursorPanel)
const Strip = lazy(async () => (await import('./later.js')).OverviewStrip)
const Choose = lazy(async () => (await import('./later.js')).LaneChoice)

const noFacts: readonly Fact[] = []
/** Milliseconds between two reads of a copy while changes arrive. */
const minReadMs = 10_000

/** Shows the account's own lanes, or with `of` those of the copy of someone else's data. */
export default function Timeline(props: PageProps) {
  return <Lanes key={props.query.get('of')} {...props} />
}

/** Shows the selected lanes, and keeps the view in the address. */
function Lanes({ query }: PageProps) {
  const account = useAccount()
  const { client, username } = account
  const of = query.get('of')
  const followed = useFollowed(account, of)
  const own = useStore(account.tree)
  const tree = of === null ? own : followed?.tree
  const ownContents = useContents(account)
  const contents = of === null ? ownContents : followed
  const facts = contents?.facts ?? noFacts
  const periods = useStore(account.zones)
  const zones = useMemo<Zones>(
    () => ({ periods, fallback: Intl.DateTimeFormat().resolvedOptions().timeZone }),
    [periods]
  )
  const model = useMemo(() => new TimelineModel(query, zones), [zones])
  const [isChoosing, setChoosing] = useState(false)

  const asked = query.get('lanes')
  const measured = useMemo(
    () => tree && contents && planMeasures(contents.measureFacts, id => account.measures.find(id), tree),
    [contents, tree]
  )
  const defaults = useDefaultLanes(tree, facts, measured)
  const ids = useMemo(() => (asked === null ? defaults : asked.split(',').filter(Boolean)), [asked, defaults])
  const plans = useMemo<readonly LanePlan[]>(
    () =>
      ids.flatMap(id => {
        const stream = tree?.find(id)
        if (stream) return planLane(stream, tree!, facts) ?? []
        return (tree && measured && findMeasureLane(id, measured, tree)) ?? []
      }),
    [ids, tree, facts, measured]
  )
  const choose = (lanes: readonly string[]): void => write({ lanes: lanes.join(',') }, false)

  /** Writes the state to the URL. Movements do not create history entries. */
  const write = (more: Readonly<Record<string, string | undefined>>, isSame: boolean): void => {
    const here = new URL(location.href)
    if (parseRoute(here).page !== 'timeline') return
    const all = { ...Object.fromEntries(here.searchParams), ...model.toQuery(), ...more }
    const href = buildHref(username, { page: 'timeline', query: all })
    model.noteWritten(new URL(href).searchParams)
    navigate(href, isSame)
  }
  useEffect(() => model.applyQuery(query), [query.toString()])
  useEffect(() => {
    const back = (): void => model.applyQuery(new URLSearchParams(location.search), true)
    addEventListener('popstate', back)
    return () => removeEventListener('popstate', back)
  }, [model])
  useEffect(() => {
    let timer: number | undefined
    const schedule = (): void => {
      clearTimeout(timer)
      timer = window.setTimeout(() => write({}, true), settleMs)
    }
    const ends = [model.view.follow(schedule), model.at.follow(schedule)]
    return () => {
      clearTimeout(timer)
      for (const end of ends) end()
    }
  }, [model])

  if (!tree || !measured) return null
  // Ignores account fields.
  const whose = <WhoseChoice of={of} onChoose={root => write({ of: root, lanes: undefined }, false)} />
  if (!facts.some(({ streamId }) => tree.find(streamId))) return <EmptyTimeline whose={whose} />
  const whole = getWholeRange(plans)
  return (
    <div class="score">
      <TimelineHeader
        model={model}
        whole={whole}
        plans={plans}
        whose={whose}
        onChoose={() => setChoosing(true)}
        onLanes={choose}
      />
      {plans.length === 0 ? (
        <div class="card none">
          <p>{t('timeline.noLanes')}</p>
          <button type="button" class="button" onClick={() => setChoosing(true)}>
            {t('timeline.chooseLanes')}
          </button>
        </div>
      ) : (
        <>
          <LaneStack model={model} plans={plans} client={client} onLanes={choose} />
          <Strip model={model} plan={plans[0]!} client={client} />
        </>
      )}
      <Moment model={model} plans={plans} />
      {isChoosing && (
        <Choose
          chosen={ids}
          contents={{ tree, facts, measured }}
          onChosen={choose}
          onClose={() => setChoosing(false)}
        />
      )}
    </div>
  )
}

/**
 * Returns the contents of the copy with a root; undefined without a root, until they are read, and if they
 * cannot be read, which a message tells.
 */
function useFollowed(account: Account, root: string | null): Followed | undefined {
  const [followed, setFollowed] = useState<Followed>()
  const [order] = useState(() => new ReadOrder())
  useEffect(() => {
    if (root === null) return undefined
    const readNow = async (): Promise<Followed> =>
      await (await import('../data/news.js')).readFollowed(account, root)
    const read = (): void => void order.keep(readNow(), setFollowed).catch(showFailure)
    read()
    return account.live.follow('events', read, minReadMs)
  }, [])
  return followed
}

/** The contents of the account, once the measures that they belong to have been read. */
interface KnownContents {
  readonly facts: readonly Fact[]
  readonly measureFacts: readonly MeasureFact[]
}

/** Returns what there is in the account, once its measures have been read; `undefined` before. */
function useContents(account: Account): KnownContents | undefined {
  const facts = useStore(account.facts)
  const measureFacts = useStore(account.measureFacts)
  const [known, setKnown] = useState<KnownContents>()
  useEffect(() => {
    let isCurrent = true
    const show = (): void => {
      if (isCurrent) setKnown({ facts, measureFacts })
    }
    // Without measures, each stream has a lane of its own.
    account.measures.read(measureFacts.map(({ measure }) => measure)).then(show, show)
    return () => {
      isCurrent = false
    }
  }, [facts, measureFacts])
  return known
}

/** Returns the default lanes. They stay in place while data arrive; what comes for the first time gets a lane at the end. */
function useDefaultLanes(
  tree: Tree | undefined,
  facts: readonly Fact[],
  measured: readonly LanePlan[] | undefined
): readonly string[] {
  const lanes = useRef<readonly string[]>([])
  const known = useRef<readonly Fact[]>([])
  return useMemo(() => {
    // Ignores account fields, and events that arrived before their stream.
    const shown = facts.filter(({ streamId }) => tree?.find(streamId))
    if (!tree || !measured || shown.length === 0) return lanes.current
    lanes.current =
      known.current.length === 0
        ? chooseDefaultLanes(tree, shown, measured)
        : addNewLanes(lanes.current, known.current, { tree, facts: shown, measured })
    known.current = shown
    return lanes.current
  }, [tree, facts, measured])
}

/**
 * Returns the range from the first data in the lanes to the last, or to now if that is later, with a margin; undefined
 * without lanes.
 */
function getWholeRange(plans: readonly LanePlan[]) {
  if (plans.length === 0) return undefined
  const from = Math.min(...plans.map(({ first }) => first))
  const to = Math.max(...plans.map(({ last }) => last), Date.now() / 1000)
  return { from: from - (to - from) * 0.01, to: to + (to - from) * 0.01 + 60 }
}

/** Shows what to do where there is no data yet; only the owner can add some. */
function EmptyTimeline({ whose }: { readonly whose: ComponentChildren }) {
  return (
    <div class="empty">
      {whose}
      <h1>{t('timeline.empty')}</h1>
      <OwnerOnly>
        <p class="lead">{t('timeline.emptyText')}</p>
        <button type="button" class="button primary" onClick={() => openAddDialog()}>
          {t('shell.addData')}
        </button>
        <AppLink to={{ page: 'connect' }} class="button">
          {t('shell.connectPhone')}
        </AppLink>
      </OwnerOnly>
    </div>
  )
}
