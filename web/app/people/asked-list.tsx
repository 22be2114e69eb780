/** What an offer asks for. The user chooses what to give, and which stream stands for one that the account does not have. */
import { isKey, t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { getStreamColour } from '../data/stream-colours.js'
import { useStore } from '../data/store.js'
import type { AskedPermission } from './people.js'
import { useStreamNames } from './stream-names.js'

interface Props {
  readonly permissions: readonly AskedPermission[]
  /** Whether the offer allows to leave some out. */
  readonly mayChoose: boolean
  /** The levels of the permissions to give, by key. */
  readonly chosen: ReadonlyMap<string, string>
  readonly onChoose: (chosen: ReadonlyMap<string, string>) => void
  /** Ids of the user's streams by the id that the offer names. */
  readonly streams: ReadonlyMap<string, string>
  readonly onStream: (streamId: string, own: string) => void
}

/** Lists the permissions. Mandatory ones, and all without `mayChoose`, cannot be unchecked. */
export function AskedList({ permissions, mayChoose, chosen, onChoose, streams, onStream }: Props) {
  return (
    <fieldset class="asked">
      <legend>{t('people.asksFor')}</legend>
      <ul>
        {permissions.map(permission => {
          const key = getKey(permission)
          const isFixed = !mayChoose || permission.mandatory === true
          return (
            <li key={key}>
              <label class="tick">
                <input
                  type="checkbox"
                  checked={chosen.has(key)}
                  disabled={isFixed}
                  onChange={event => {
                    const next = new Map(chosen)
                    if (event.currentTarget.checked) next.set(key, permission.level ?? '')
                    else next.delete(key)
                    onChoose(next)
                  }}
                />
                <Name permission={permission} />
              </label>
              {!isFixed && chosen.has(key) && (
                <LevelChoice
                  level={permission.level}
                  value={chosen.get(key)!}
                  onLevel={level => onChoose(new Map(chosen).set(key, level))}
                />
              )}
              {isFixed && mayChoose && <small>{t('people.required')}</small>}
              <OwnStream permission={permission} streams={streams} onStream={onStream} />
            </li>
          )
        })}
      </ul>
      {!mayChoose && permissions.length > 1 && <p class="hint">{t('people.allOrNothing')}</p>}
    </fieldset>
  )
}

/** The levels that allow less than another one. */
const lowerLevels: Readonly<Record<string, readonly string[]>> = {
  contribute: ['read', 'create-only'],
  manage: ['contribute', 'read', 'create-only']
}

/** Offers to give less than what is asked for. Renders nothing if there is no lower level. */
function LevelChoice({
  level = '',
  value,
  onLevel
}: {
  readonly level?: string | undefined
  readonly value: string
  readonly onLevel: (level: string) => void
}) {
  if (!Object.hasOwn(lowerLevels, level)) return null
  return (
    <label class="own-stream">
      <span>{t('people.youGive')}</span>
      <select value={value} onChange={event => onLevel(event.currentTarget.value)}>
        {[level, ...lowerLevels[level]!].map(each => (
          <option key={each} value={each}>
            {t(`people.level.${each}` as 'people.level.read')}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Returns a key of a permission. */
export function getKey({ feature, level, setting, streamId }: AskedPermission): string {
  return JSON.stringify([feature, level, setting, streamId])
}

/** Returns what a permission means that is not about data. */
export function getFeatureName(feature: string): string {
  const key = `people.feature.${feature}`
  return isKey(key) ? t(key) : t('people.feature', { name: toPlainText(feature) })
}

/** Shows which stream or feature a permission is about, and its level. */
function Name({ permission }: { readonly permission: AskedPermission }) {
  const tree = useStore(useAccount().tree)
  const getName = useStreamNames()
  const { defaultName, feature, level = '', streamId = '' } = permission
  if (feature !== undefined) return <span>{getFeatureName(feature)}</span>
  const stream = tree?.find(streamId)
  return (
    <span>
      {stream && <i class="dot" style={{ '--c': getStreamColour(stream) }} />}
      <b>{getName(streamId, defaultName)}</b>
      <small>{t(`people.level.${level}` as 'people.level.read')}</small>
    </span>
  )
}

/** Offers to choose a stream in place of one that does not exist. */
function OwnStream({
  permission: { feature, streamId = '' },
  streams,
  onStream
}: Pick<Props, 'streams' | 'onStream'> & { readonly permission: AskedPermission }) {
  const tree = useStore(useAccount().tree)
  if (feature !== undefined || streamId === '*' || tree?.find(streamId)) return null
  return (
    <label class="own-stream">
      <span>{t('people.yourStream')}</span>
      <select
        value={streams.get(streamId) ?? streamId}
        onChange={event => onStream(streamId, event.currentTarget.value)}
      >
        <option value={streamId}>{t('people.noStream')}</option>
        {tree?.all
          .filter(({ trashed }) => trashed !== true)
          .map(stream => (
            <option key={stream.id} value={stream.id}>
              {tree
                .getPath(stream.id)
                .map(({ name }) => toPlainText(name))
                .join(' › ')}
            </option>
          ))}
      </select>
    </label>
  )
}
