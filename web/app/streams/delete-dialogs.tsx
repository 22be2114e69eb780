/** Moves streams to the trash or deletes them permanently, after showing the effects. */
import { useState } from 'preact/hooks'
import { getLocale, t } from '../../language.js'
import { Form } from '../../parts/form.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { useReading } from '../data/reading.js'
import type { Event, Stream } from '../data/model.js'
import { useStore } from '../data/store.js'
import { Confirm } from '../parts/confirm.js'
import { Dialog } from '../parts/dialog.js'
import { showToast } from '../parts/toast.js'
import { deleteStream } from '../data/update-stream.js'
import { trashWithToast } from './dialogs.js'
import { AccessNames } from './access-names.js'
import { getPathIds, listNamingAccesses, listStreamAccesses } from './audience.js'
import { computeTotals } from './stream-totals.js'

interface Props {
  readonly stream: Stream
  readonly onClose: () => void
}

/**
 * Asks for confirmation before moving a stream to the trash, and says who loses access to it. The message
 * afterwards offers undo.
 */
export function TrashDialog({ stream, onClose }: Props) {
  const account = useAccount()
  const tree = useStore(account.tree)
  const facts = useStore(account.facts)
  const accesses = useStore(account.accesses)
  const count = tree ? computeTotals(tree, facts)(stream.id).events : 0
  const below = (tree?.listSubtreeIds(stream.id).length ?? 1) - 1
  const path = getPathIds(tree, stream.id)
  const now = Date.now() / 1000
  const readers = new Set([
    ...listStreamAccesses(accesses, path, now).map(({ access }) => access),
    ...listNamingAccesses(accesses, tree?.listSubtreeIds(stream.id) ?? [], now)
  ])
  return (
    <Confirm
      title={t('streams.trashTitle', { stream: toPlainText(stream.name) })}
      action={t('shell.moveToTrash')}
      onClose={onClose}
      onConfirm={async () => {
        await trashWithToast(account, stream)
        onClose()
      }}
    >
      <p>
        {t('streams.contains', { contents: formatContents(t('shell.eventCount', { count }), below) })}{' '}
        {t('streams.trashEffect')}
      </p>
      {readers.size > 0 && (
        <p>
          {t('streams.loses')} <AccessNames accesses={[...readers]} />
        </p>
      )}
      <p>{t('streams.trashUndo')}</p>
    </Confirm>
  )
}

/** Maximum events counted. */
const maxCounted = 1000

/**
 * Deletes a trashed stream permanently, after asking what happens to its events. They are deleted, or moved
 * to the stream above.
 */
export function DeleteDialog({ stream, onClose, onDeleted }: Props & { readonly onDeleted: () => void }) {
  const account = useAccount()
  const tree = useStore(account.tree)
  const accesses = useStore(account.accesses)
  const { read } = useReading(
    async signal => {
      const params = { streams: [stream.id], state: 'all', limit: maxCounted + 1 }
      return await account.client.callAlone<{ events: readonly Event[] }>('events.get', params, signal)
    },
    [account, stream.id]
  )
  const found = read?.events
  const [isMerged, setMerged] = useState(stream.parentId !== null)
  const ids = tree?.listSubtreeIds(stream.id) ?? [stream.id]
  const parent = stream.parentId === null ? undefined : tree?.find(stream.parentId)
  const own = new Set(ids)
  const elsewhere = found?.filter(({ streamIds }) => streamIds.some(id => !own.has(id))).length ?? 0
  const count = found?.length ?? 0
  const countText =
    count > maxCounted ? t('streams.moreThan', { count: maxCounted }) : t('shell.eventCount', { count })
  const now = Date.now() / 1000
  const endingAccesses = listNamingAccesses(accesses, ids, now)
  const gainingAccesses = isMerged
    ? listStreamAccesses(accesses, getPathIds(tree, stream.parentId), now).map(({ access }) => access)
    : []
  return (
    <Dialog title={t('streams.deleteTitle', { stream: toPlainText(stream.name) })} onClose={onClose}>
      <Form
        action={isMerged || count === 0 ? t('shell.deletePermanently') : t('streams.deleteAll')}
        onSubmit={async () => {
          await deleteStream(account, stream.id, isMerged && count > 0)
          onClose()
          onDeleted()
          showToast(t('shell.deleted'))
        }}
        others={
          <button type="button" class="button" onClick={onClose}>
            {t('shell.cancel')}
          </button>
        }
      >
        <p>
          {found === undefined
            ? t('loading')
            : t('streams.contains', { contents: formatContents(countText, ids.length - 1) })}
        </p>
        {count > 0 && (
          <fieldset class="fates">
            <legend>{t('streams.eventsChoice')}</legend>
            {parent && (
              <label>
                <input type="radio" name="fate" checked={isMerged} onChange={() => setMerged(true)} />
                <span>
                  {t('streams.merge', { stream: toPlainText(parent.name) })}
                  {gainingAccesses.length > 0 && (
                    <small>
                      {t('streams.gains')} <AccessNames accesses={gainingAccesses} />
                    </small>
                  )}
                </span>
              </label>
            )}
            <label>
              <input type="radio" name="fate" checked={!isMerged} onChange={() => setMerged(false)} />
              <span>
                {t('streams.deleteEvents')}
                {elsewhere > 0 && <small>{t('streams.elsewhere', { count: elsewhere })}</small>}
              </span>
            </label>
          </fieldset>
        )}
        {endingAccesses.length > 0 && (
          <p class="notice">
            {t('streams.endsFor')} <AccessNames accesses={endingAccesses} />
          </p>
        )}
        <p>
          <strong>{t('shell.noUndo')}</strong>
        </p>
      </Form>
    </Dialog>
  )
}

/** Formats the contents of a stream: `1,204 events and 2 substreams`. */
function formatContents(events: string, substreams: number): string {
  const parts = substreams === 0 ? [events] : [events, t('streams.substreams', { count: substreams })]
  return new Intl.ListFormat(getLocale(), { type: 'conjunction' }).format(parts)
}
