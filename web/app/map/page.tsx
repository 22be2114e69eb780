/** The map page: places and tracks of a time range, drawn without contacting third parties. */
import './style.css'
import { useMemo } from 'preact/hooks'
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { useReading } from '../data/reading.js'
import { useStore } from '../data/store.js'
import { AppLink } from '../parts/app-link.js'
import { Icon } from '../parts/icon.js'
import { StepButtons } from '../parts/step-buttons.js'
import { formatDay, formatDateTime } from '../parts/format-time.js'
import { Tabs } from '../parts/tabs.js'
import { Skeleton } from '../parts/skeleton.js'
import { ReadProblem } from '../parts/read-problem.js'
import { buildHref, navigate, type PageProps } from '../route.js'
import { openAddDialog } from '../shell/adding.js'
import { MapCanvas } from './map-canvas.js'
import { formatDistance } from './draw-scene.js'
import { placeTypes, readTracks, type Track } from './read-tracks.js'

const daySeconds = 86_400
/** Lengths of time ranges, in seconds. */
const spans = {
  day: daySeconds,
  week: 7 * daySeconds,
  month: 30 * daySeconds,
  year: 365 * daySeconds,
  all: Infinity
} as const
type Span = keyof typeof spans

/** Maximum listed tracks. */
const maxListed = 200

/** Reads the tracks of the time range in the address, and shows them with the controls that change it. */
export default function MapPage({ query }: PageProps) {
  const account = useAccount()
  const facts = useStore(account.facts)
  const bounds = useMemo(() => findBounds(facts), [facts])
  const last = bounds?.last ?? Date.now() / 1000
  const span = parseSpan(query.get('span'))
  const to = parseNumber(query.get('to')) ?? last
  const from = span === 'all' ? (bounds?.first ?? to) : to - spans[span]
  const chosen = query.get('event') ?? undefined

  const go = (changes: {
    readonly span?: string
    readonly to?: string | undefined
    readonly event?: string | undefined
  }): void => {
    const now = { span, to: query.get('to') ?? undefined, event: chosen, ...changes }
    navigate(buildHref(account.username, { page: 'map', query: now }), true)
  }
  const goTo = (end: number): void => go({ to: String(Math.round(end)), event: undefined })
  const { read: shown, problem } = useReading(
    async signal => (bounds ? await readTracks(account.client, { from, to }, signal) : undefined),
    [account, bounds !== undefined, from, to]
  )

  const tracks = shown?.tracks ?? []
  const placeCount = tracks.filter(({ fixes }) => fixes.length === 1).length
  return (
    <>
      <header class="head">
        <div>
          <h1>{t('shell.map')}</h1>
          {bounds && <p class="when num">{`${formatDay(from)} – ${formatDay(to)}`}</p>}
        </div>
        <Tabs
          label={t('span.label')}
          choices={Object.keys(spans) as Span[]}
          chosen={span}
          textOf={each => t(`span.${each}`)}
          onChoose={each => go({ span: each, event: undefined })}
        />
        <StepButtons
          onEarlier={span === 'all' || from <= (bounds?.first ?? from) ? undefined : () => goTo(from)}
          onLater={span === 'all' || to >= last ? undefined : () => goTo(to + (to - from))}
        >
          <button type="button" class="square" onClick={() => go({ to: undefined, event: undefined })}>
            {t('map.latest')}
          </button>
        </StepButtons>
      </header>
      {problem !== undefined && <ReadProblem message={problem} />}
      {!bounds && (
        <>
          <p class="lead">{t('map.noneAtAll')}</p>
          {account.isOwner && (
            <button type="button" class="button" onClick={() => openAddDialog({ type: 'position/wgs84' })}>
              {t('map.add')}
            </button>
          )}
        </>
      )}
      {bounds && (
        <div class="sheets">
          <div class="card">
            <MapCanvas
              label={t('map.canvas', {
                tracks: t('map.trackCount', { count: tracks.length - placeCount }),
                places: t('map.placeCount', { count: placeCount })
              })}
              tracks={tracks}
              chosen={chosen}
              onChoose={event => go({ event })}
            />
            <p class="drawn">
              <Icon name="lock" />
              {t('shell.drawnHere')}
            </p>
          </div>
          <section class="card list" aria-label={t('map.tracks')}>
            {!shown && problem === undefined && <Skeleton kind="rows" />}
            {shown && tracks.length === 0 && <p class="hint">{t('map.none')}</p>}
            <ul>
              {tracks.slice(0, maxListed).map(track => (
                <TrackItem
                  key={track.event.id}
                  track={track}
                  isChosen={track.event.id === chosen}
                  onChoose={event => go({ event })}
                />
              ))}
            </ul>
            {(shown?.isTruncated || tracks.length > maxListed) && (
              <p class="hint">{t('map.more', { count: Math.min(tracks.length, maxListed) })}</p>
            )}
          </section>
        </div>
      )}
    </>
  )
}

interface EntryProps {
  readonly track: Track
  readonly isChosen: boolean
  readonly onChoose: (id: string | undefined) => void
}

/** Shows a track or place in the list: a button that chooses it, and a link to its event. */
function TrackItem({ track, isChosen, onChoose }: EntryProps) {
  const { event, fixes, length } = track
  const isTrack = fixes.length > 1
  const name = toPlainText(event.description ?? '') || t(isTrack ? 'map.track' : 'map.place')
  return (
    <li>
      <button type="button" aria-pressed={isChosen} onClick={() => onChoose(isChosen ? undefined : event.id)}>
        <Icon name={isTrack ? 'run' : 'pin'} />
        <span>
          <b>{name}</b>
          <small class="num">{formatDateTime(fixes[0]!.time)}</small>
        </span>
        {isTrack && <span class="num">{formatDistance(length)}</span>}
      </button>
      <AppLink
        to={{ page: 'events', id: event.id }}
        label={`${name}, ${formatDateTime(fixes[0]!.time)}`}
        class="round"
      >
        <Icon name="right" />
      </AppLink>
    </li>
  )
}

/** Returns the times of the first and last position; undefined if there is none. */
function findBounds(
  facts: readonly { readonly type: string; readonly first: number; readonly last: number }[]
) {
  const placed = facts.filter(({ type }) => (placeTypes as readonly string[]).includes(type))
  if (placed.length === 0) return undefined
  const last = Math.max(...placed.map(each => each.last))
  // A track lasts beyond the time of its event.
  return {
    first: Math.min(...placed.map(({ first }) => first)),
    last: Math.min(last + daySeconds, Math.max(last, Date.now() / 1000))
  }
}

function parseSpan(text: string | null): Span {
  return text !== null && Object.hasOwn(spans, text) ? (text as Span) : 'month'
}

function parseNumber(text: string | null): number | undefined {
  return text !== null && Number.isFinite(Number(text)) && text !== '' ? Number(text) : undefined
}
