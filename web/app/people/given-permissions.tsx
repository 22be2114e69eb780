/** What another account may see, and taking some of it back. */
import { useState } from 'preact/hooks'
import { Refusal } from '../../api.js'
import { t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { useAccount } from '../data/account.js'
import { getStreamColour } from '../data/stream-colours.js'
import { useStore } from '../data/store.js'
import { showToast } from '../parts/toast.js'
import { describeFailure } from './failures.js'
import { toEnd, toLastDay } from './end-date.js'
import {
  getStreams,
  listDataPermissions,
  types,
  waitForOutcome,
  writeEvent,
  type Relationship
} from './people.js'
import { useStreamNames } from './stream-names.js'

/** What another account may see and until when, taking some of it back, and changing the last day. */
export function GivenPermissions({ relationship }: { readonly relationship: Relationship }) {
  const account = useAccount()
  const tree = useStore(account.tree)
  const getName = useStreamNames()
  const { access, name } = relationship
  const given = listDataPermissions(access.permissions)
  const [taken, setTaken] = useState<ReadonlySet<string>>(new Set())
  const lastDay = toLastDay(access.expires)
  const [chosenDay, setChosenDay] = useState<string>()
  const until = chosenDay ?? lastDay
  const save = async (): Promise<void> => {
    const accessId = access.versionId ?? access.id
    const kept = given.filter(({ streamId }) => !taken.has(streamId))
    const newPermissions = kept.map(({ level, streamId }) => ({ streamId, level }))
    const { id } = await writeEvent(account, getStreams(relationship).collectors, types.scopeUpdate, {
      accessId,
      newPermissions,
      ...(until !== lastDay && { expires: toEnd(until) ?? null })
    })
    const { reason, status } = await waitForOutcome(account, id)
    if (status === 'failed') throw new Refusal('people-failed', describeFailure(reason))
    await account.readAccesses()
    // Choices that were made while these were being saved stay.
    setTaken(current => new Set([...current].filter(streamId => !taken.has(streamId))))
    setChosenDay(current => (current === until ? undefined : current))
    showToast(taken.size > 0 ? t('people.narrowed', { name }) : t('people.endMoved'))
  }
  return (
    <>
      <h2>{t('people.theyMaySee')}</h2>
      <ul class="given">
        {given.map(({ level, streamId }) => {
          const stream = tree?.find(streamId)
          return (
            <li key={streamId} class={taken.has(streamId) ? 'taken' : undefined}>
              <span>
                <i class="dot" style={{ '--c': stream ? getStreamColour(stream) : 'var(--ink)' }} />
                <b>{getName(streamId)}</b>
                <small>{t(`people.level.${level}` as 'people.level.read')}</small>
              </span>
              {given.length > 1 && (
                <button
                  type="button"
                  class="button"
                  aria-pressed={taken.has(streamId)}
                  onClick={() => {
                    const next = new Set(taken)
                    if (!next.delete(streamId)) next.add(streamId)
                    setTaken(next)
                  }}
                >
                  {t(taken.has(streamId) ? 'people.keep' : 'people.remove')}
                </button>
              )}
            </li>
          )
        })}
        {given.length === 0 && <li>{t('people.nothing')}</li>}
      </ul>
      {given.length > 0 && (
        <div class="field">
          <label for="until">{t('people.until')}</label>
          <div class="line">
            <input
              id="until"
              type="date"
              value={until}
              onInput={event => setChosenDay(event.currentTarget.value)}
              aria-describedby="until-hint"
            />
          </div>
          <p class="hint" id="until-hint">
            {t('people.untilHint')}
          </p>
        </div>
      )}
      {(taken.size > 0 || until !== lastDay) && taken.size < given.length && (
        <Action class="button primary" onClick={save}>
          {t('people.saveChanges')}
        </Action>
      )}
      {taken.size > 0 && taken.size === given.length && <p class="hint">{t('people.takeBackAll')}</p>}
    </>
  )
}
