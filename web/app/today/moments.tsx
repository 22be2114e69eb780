/** Events of a day: notes with their text, photos, files, activities; and the places where the user was. */
import { getLocale, t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import type { Event } from '../data/model.js'
import { useStore } from '../data/store.js'
import type { Day } from '../lanes/calendar.js'
import { getMarkIcon } from '../lanes/load-lane.js'
import { AppLink } from '../parts/app-link.js'
import { formatClock } from '../parts/format-time.js'
import { Icon, type IconName } from '../parts/icon.js'
import { Picture } from '../parts/picture.js'
import { RichText } from '../parts/rich-text.js'

/** Maximum number of displayed characters of a note. */
const maxCharacters = 400
const icons: Readonly<Record<string, IconName>> = { note: 'note', photo: 'photo', run: 'run' }

interface Props {
  readonly events: readonly Event[]
  readonly zone: string
}

/** Lists events, photos first, as pictures. */
export function Moments({ events, zone }: Props) {
  const tree = useStore(useAccount().tree)
  const photos = events.filter(({ type }) => type === 'picture/attached')
  const others = events.filter(({ type }) => type !== 'picture/attached')
  return (
    <>
      {photos.length > 0 && (
        <ul class="photos">
          {photos.map(event => (
            <li key={event.id}>
              <AppLink to={{ page: 'events', id: event.id }}>
                <Picture
                  event={event}
                  alt={
                    toPlainText(event.description ?? '') ||
                    t('today.photoAt', { time: formatClock(event.time, zone) })
                  }
                  width={256}
                />
              </AppLink>
            </li>
          ))}
        </ul>
      )}
      {others.map(event => {
        const { content, description, id, streamIds, time, type } = event
        const isNote = type.startsWith('note/') && typeof content === 'string'
        const name = toPlainText(tree?.find(streamIds[0]!)?.name ?? t('shell.events'))
        const text = isNote ? content : (description ?? '')
        return (
          <article key={id} class="moment">
            <h3>
              <Icon name={icons[getMarkIcon(type)] ?? 'file'} />
              <AppLink to={{ page: 'events', id }}>{name}</AppLink>
              <small class="num">{formatClock(time, zone)}</small>
            </h3>
            {text !== '' && (
              <RichText text={text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text} />
            )}
          </article>
        )
      })}
    </>
  )
}

/** Names the places of a day, with a link to the map. Renders nothing without places. */
export function Places({ events, day }: { readonly events: readonly Event[]; readonly day: Day }) {
  if (events.length === 0) return null
  const names = [...new Set(events.toReversed().map(({ description }) => toPlainText(description ?? '')))]
  const known = names.filter(name => name !== '')
  const list = new Intl.ListFormat(getLocale(), { type: 'conjunction' }).format(known)
  return (
    <p class="places">
      <Icon name="pin" />
      <span>
        {known.length > 0 ? list : t('today.placeCount', { count: events.length })}{' '}
        <AppLink
          to={{ page: 'map', query: { from: String(Math.floor(day.from)), to: String(Math.ceil(day.to)) } }}
        >
          {t('today.onMap')}
        </AppLink>
      </span>
    </p>
  )
}
