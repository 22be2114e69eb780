/** Lists requested permissions. */
import type { ComponentChildren } from 'preact'
import type { Level } from '../auth-request.js'
import type { Audience } from '../grant-access.js'
import type { Grant, Grants } from '../compare-grants.js'
import { t, type Key } from '../../language.js'
import { StreamDetails } from './stream-details.js'

/** Texts of restrictions, by the feature that is turned off. */
const restrictions: ReadonlyMap<string, Key> = new Map([
  ['selfRevoke', 'grant.selfRevoke'],
  ['selfAudit', 'grant.selfAudit']
])

interface Props {
  readonly grants: Grants
  /** Details of the streams. */
  readonly streams: readonly Audience[]
  /** The operator's names for apps, by id. */
  readonly appNames: ReadonlyMap<string, string>
  readonly choice: Choice
}

/** Streams that the user may omit. */
interface Choice {
  readonly streamIds: ReadonlySet<string>
  /** The streams that are omitted. */
  readonly omitted: ReadonlySet<string>
  readonly onToggle: (streamId: string) => void
}

/** Shows what an app asks for, which streams may be chosen, and what would end. */
export function GrantList({ grants, streams, appNames, choice }: Props) {
  const { asked, ended, features } = grants
  const audiences = new Map(streams.map(each => [each.streamId, each]))
  return (
    <>
      <ul class="grants">
        {asked.map(grant => (
          <GrantItem key={grant.streamId} grant={grant} choice={choice}>
            {audiences.has(grant.streamId) && (
              <StreamDetails
                audience={audiences.get(grant.streamId)!}
                level={grant.level}
                appNames={appNames}
              />
            )}
          </GrantItem>
        ))}
        {features.map(({ feature }) => (
          <li key={feature} class="grant">
            <p>{t(restrictions.get(feature) ?? 'grant.otherFeature', { feature })}</p>
          </li>
        ))}
      </ul>
      {choice.streamIds.size > 0 && <p class="hint">{t('grant.choose')}</p>}
      {asked.some(({ isNew }) => isNew) && <p class="hint">{t('grant.create')}</p>}
      {ended.length > 0 && (
        <>
          <h2>{t('grant.ended')}</h2>
          <ul class="grants ended">
            {ended.map(grant => (
              <GrantItem key={grant.streamId} grant={grant} />
            ))}
          </ul>
        </>
      )}
    </>
  )
}

interface ItemProps {
  readonly grant: Grant
  readonly choice?: Choice
  readonly children?: ComponentChildren
}

/** Shows one requested permission, with the details of its stream. */
function GrantItem({ grant, choice, children }: ItemProps) {
  const { name, level, isNew, before, streamId, taken } = grant
  const isWide = streamId === '*' && level !== 'none'
  return (
    <li class={isWide ? 'grant wide' : 'grant'}>
      <LevelIcon level={level} />
      <div>
        <p class="what">
          {choice?.streamIds.has(streamId) ? (
            <label class="choice">
              <input
                type="checkbox"
                checked={!choice.omitted.has(streamId)}
                onChange={() => choice.onToggle(streamId)}
              />
              <strong>{name}</strong>
            </label>
          ) : (
            <strong>{name}</strong>
          )}
          {isNew && <span class="badge">{t('grant.new')}</span>}
          {before === null && <span class="badge">{t('grant.added')}</span>}
        </p>
        <p>{t(`level.${level}`)}</p>
        {children}
        {taken !== undefined && <p class="hint">{t('grant.taken', { name: taken })}</p>}
        {before && before !== level && (
          <p class="hint">{t('grant.before', { level: t(`level.${before}`) })}</p>
        )}
      </div>
    </li>
  )
}

/** Icon paths by level: eye, plus, pen, key, bar. */
const levelIcons: Readonly<Record<Level, string>> = {
  read: 'M2 12s3.6-6.5 10-6.5S22 12 22 12s-3.6 6.5-10 6.5S2 12 2 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6',
  'create-only': 'M12 5v14M5 12h14',
  contribute: 'M4 20l1-4.5L16.5 4a2.1 2.1 0 0 1 3 3L8.5 19zM14.5 6l3.5 3.5',
  manage: 'M8 11a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM11 12.2L20 3.5M16.5 7l3 3',
  none: 'M5.6 5.6l12.8 12.8M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18'
}

function LevelIcon({ level }: { readonly level: Level }) {
  return (
    <svg class="sign" viewBox="0 0 24 24" aria-hidden="true">
      <path d={levelIcons[level]} />
    </svg>
  )
}
