/** The history of an event: who changed what, and when. */
import { isKey, t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { formatEvent } from '../data/event-types.js'
import type { Event } from '../data/model.js'
import { useStore } from '../data/store.js'
import { formatDateTime } from '../parts/format-time.js'
import { getAccessName } from '../parts/access-name.js'

interface Props {
  readonly event: Event
  readonly history: readonly Event[]
}

/** Lists the changes from the oldest. Says so if the event was changed but the service keeps no versions. */
export function History({ event, history }: Props) {
  const account = useAccount()
  const accesses = useStore(account.accesses)
  const tree = useStore(account.tree)
  const getAuthor = (id: string): string => getAccessName(id, accesses, account.info.id)
  const listStreamNames = (ids: readonly string[]): string =>
    ids.map(id => toPlainText(tree?.find(id)?.name ?? id)).join(', ')
  const versions = [...history, event]
  const describeChanges = (before: Event, after: Event): string =>
    listChanges(before, after)
      .map(change => {
        if (change === 'content')
          return t('events.change.content', { before: formatEvent(before), after: formatEvent(after) })
        if (change === 'streamIds')
          return t('events.change.streamIds', {
            before: listStreamNames(before.streamIds),
            after: listStreamNames(after.streamIds)
          })
        if (change === 'time')
          return t('events.change.time', {
            before: formatDateTime(before.time),
            after: formatDateTime(after.time)
          })
        const key = `events.change.${change}`
        return isKey(key) ? t(key) : change
      })
      .join('. ')
  // The service itself updates the duration of series.
  const hasGap = history.length === 0 && !event.type.startsWith('series:') && event.modified !== event.created
  return (
    <section class="card history">
      <h2>{t('events.history')}</h2>
      <ol>
        <li>
          <span>{t('events.addedBy', { who: getAuthor(event.createdBy) })}</span>
          <time>{formatDateTime(event.created)}</time>
        </li>
        {versions.slice(1).map((version, index) => (
          <li key={`${version.modified} ${index}`}>
            <span>
              {t('events.changedBy', { who: getAuthor(version.modifiedBy) })}
              <small>{describeChanges(versions[index]!, version)}</small>
            </span>
            <time>{formatDateTime(version.modified)}</time>
          </li>
        ))}
        {hasGap && (
          <li>
            <span>
              {t('events.changedBy', { who: getAuthor(event.modifiedBy) })}
              <small>{t('events.noVersions')}</small>
            </span>
            <time>{formatDateTime(event.modified)}</time>
          </li>
        )}
      </ol>
    </section>
  )
}

const comparedFields = [
  'type',
  'content',
  'time',
  'duration',
  'description',
  'streamIds',
  'clientData'
] as const

/** A difference: a changed field, or what happened to files or the trash state. */
type Change = (typeof comparedFields)[number] | 'trashed' | 'restored' | 'filesAdded' | 'filesRemoved'

/** Returns the differences in display order. */
function listChanges(before: Event, after: Event): readonly Change[] {
  const changes: Change[] = comparedFields.filter(
    field => JSON.stringify(before[field]) !== JSON.stringify(after[field])
  )
  if (after.trashed && !before.trashed) changes.push('trashed')
  if (before.trashed && !after.trashed) changes.push('restored')
  const [fileIdsBefore, fileIdsAfter] = [before, after].map(
    ({ attachments = [] }) => new Set(attachments.map(({ id }) => id))
  )
  if ([...fileIdsAfter!].some(id => !fileIdsBefore!.has(id))) changes.push('filesAdded')
  if ([...fileIdsBefore!].some(id => !fileIdsAfter!.has(id))) changes.push('filesRemoved')
  return changes
}
