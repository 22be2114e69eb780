/** An event beside the lanes: a note with its text, a photo, an activity with its track. */
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { getStreamColour } from '../data/stream-colours.js'
import type { Event } from '../data/model.js'
import { getDayAt, type Zones } from '../lanes/calendar.js'
import { getMarkIcon } from '../lanes/load-lane.js'
import { AppLink } from '../parts/app-link.js'
import { Icon, type IconName } from '../parts/icon.js'
import { Picture } from '../parts/picture.js'
import { RichText } from '../parts/rich-text.js'
import { formatClock } from '../parts/format-time.js'
import { TrackView } from './track-view.js'
import { formatHoursMinutes } from '../data/format-values.js'

interface Props {
  readonly event: Event
  /** Events of the same period, which include the tracks of activities. */
  readonly tracks: readonly Event[]
  readonly zones: Zones
}

/** Maximum number of displayed characters of a note. */
const maxCharacters = 600
const icons = {
  note: 'note',
  photo: 'photo',
  pin: 'pin',
  run: 'run',
  file: 'file'
} as const satisfies Readonly<Record<string, IconName>>
const titles = {
  note: 'timeline.note',
  photo: 'timeline.photo',
  pin: 'timeline.position',
  run: 'timeline.activity',
  file: 'timeline.file'
} as const

/** Shows an event at the cursor; nothing for the track of an activity, which the card of the activity shows. */
export function EventCard({ event, tracks, zones }: Props) {
  const { tree } = useAccount()
  const { content, description, duration, id, time, type } = event
  const track = type.startsWith('activity/')
    ? tracks.find(other => other.type.startsWith('series:position') && other.time === time)
    : undefined
  const isTrack = type.startsWith('series:position')
  // The track of an activity is shown in its card.
  if (isTrack && tracks.some(other => other.type.startsWith('activity/') && other.time === time)) return null
  const stream = event.streamIds.map(each => tree.value?.find(each)).find(Boolean)
  const icon = getMarkIcon(type)
  const kind = icon in icons ? (icon as keyof typeof icons) : 'file'
  const title =
    kind === 'pin' || kind === 'run'
      ? toPlainText(description ?? '') || t(titles[kind])
      : icon in icons
        ? t(titles[kind])
        : toPlainText(stream?.name ?? type)
  const text =
    type.startsWith('note/') && typeof content === 'string'
      ? content
      : kind === 'pin' || kind === 'run'
        ? ''
        : (description ?? '')
  return (
    <article class="card moment-card" style={stream ? { '--c': getStreamColour(stream) } : {}}>
      {track && <TrackView holder={track} />}
      {isTrack && <TrackView holder={event} />}
      {type === 'picture/attached' && (
        <Picture event={event} alt={toPlainText(description ?? '') || t('timeline.photo')} width={512} />
      )}
      <div class="in">
        <h3>
          <Icon name={icons[kind]} />
          <AppLink to={{ page: 'events', id }}>{title}</AppLink>
          <small class="num">
            {duration ? formatHours(duration) : formatClock(time, getDayAt(time, zones).zone)}
          </small>
        </h3>
        {text !== '' && (
          <blockquote>
            <RichText text={text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text} />
          </blockquote>
        )}
        {track && (
          <p class="hint small">
            <Icon name="lock" />
            <span>
              {t('shell.drawnHere')}{' '}
              <AppLink
                to={{
                  page: 'map',
                  query: { from: String(Math.floor(time)), to: String(Math.ceil(time + (duration ?? 0))) }
                }}
              >
                {t('timeline.onMap')}
              </AppLink>
            </span>
          </p>
        )}
      </div>
    </article>
  )
}

function formatHours(seconds: number): string {
  return seconds < 3600 ? `${Math.round(seconds / 60)} min` : formatHoursMinutes(seconds)
}
