/** An event beside the lanes: a note with its text, a photo, an activity with its track. */
import { t } from '../../language.js'
import { plain, plainLines } from '../../plain.js'
import { useAccount } from '../data/account.js'
import { colourOf } from '../data/colours.js'
import type { Event } from '../data/model.js'
import { dayAt, type Zones } from '../lanes/calendar.js'
import { iconOf } from '../lanes/load.js'
import { Go } from '../parts/go.js'
import { Icon, type IconName } from '../parts/icon.js'
import { Picture } from '../parts/picture.js'
import { clock } from '../parts/time.js'
import { Track } from './track.js'
import { hoursAndMinutes } from './units.js'

interface Props {
  readonly event: Event
  /** Events of the same period, which include the tracks of activities. */
  readonly tracks: readonly Event[]
  readonly zones: Zones
}

/** Maximum characters of a note. */
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
  const icon = iconOf(type)
  const kind = icon in icons ? (icon as keyof typeof icons) : 'file'
  const title =
    kind === 'pin' || kind === 'run'
      ? plain(description ?? '') || t(titles[kind])
      : icon in icons
        ? t(titles[kind])
        : plain(stream?.name ?? type)
  const text =
    type.startsWith('note/') && typeof content === 'string'
      ? plainLines(content)
      : kind === 'pin' || kind === 'run'
        ? ''
        : plainLines(description ?? '')
  return (
    <article class="card moment-card" style={stream ? { '--c': colourOf(stream) } : {}}>
      {track && <Track holder={track} />}
      {isTrack && <Track holder={event} />}
      {type === 'picture/attached' && (
        <Picture event={event} alt={plain(description ?? '') || t('timeline.photo')} width={512} />
      )}
      <div class="in">
        <h3>
          <Icon name={icons[kind]} />
          <Go to={{ page: 'events', id }}>{title}</Go>
          <small class="num">{duration ? formatHours(duration) : clock(time, dayAt(time, zones).zone)}</small>
        </h3>
        {text !== '' && (
          <blockquote>{text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text}</blockquote>
        )}
        {track && (
          <p class="hint small">
            <Icon name="lock" />
            <span>
              {t('shell.drawnHere')}{' '}
              <Go
                to={{
                  page: 'map',
                  query: { from: String(Math.floor(time)), to: String(Math.ceil(time + (duration ?? 0))) }
                }}
              >
                {t('timeline.onMap')}
              </Go>
            </span>
          </p>
        )}
      </div>
    </article>
  )
}

function formatHours(seconds: number): string {
  return seconds < 3600 ? `${Math.round(seconds / 60)} min` : hoursAndMinutes(seconds)
}
