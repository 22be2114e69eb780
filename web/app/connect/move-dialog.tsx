/** Moves what a connection has brought to another stream, with what it will bring. Loaded when opened. */
import { useState } from 'preact/hooks'
import { t } from '../../language.js'
import { Form } from '../../parts/form.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { useStore } from '../data/store.js'
import { Dialog } from '../parts/dialog.js'
import { FormRow } from '../parts/form-row.js'
import { StreamOptions } from '../parts/stream-options.js'
import { showToast } from '../parts/toast.js'
import { useArrived } from './arrived.js'
import type { Connection } from './connections.js'
import { findFreeName, listMovable } from './move-targets.js'

interface Props {
  readonly connection: Connection
  readonly all: readonly Connection[]
  readonly onClose: () => void
}

/** Value of the option for no parent. */
const topLevel = ''

/**
 * Shows which streams would move, with a choice of target. Moves them one after the other; those moved before a
 * failure stay moved.
 */
export function MoveDialog({ connection, all, onClose }: Props) {
  const account = useAccount()
  const tree = useStore(account.tree)
  const arrived = useArrived(account, connection, all)
  const [left, setLeft] = useState<readonly string[]>([])
  const [progress, setProgress] = useState('')
  const movable = tree ? listMovable(tree, connection, arrived, undefined) : []
  const move = async (target: string): Promise<void> => {
    const parentId = target === topLevel ? null : target
    if (!tree) return
    const streams = listMovable(tree, connection, arrived, parentId).filter(({ id }) => !left.includes(id))
    let count = 0
    try {
      for (const stream of streams) {
        // Each move changes which names are taken.
        const now = account.tree.value ?? tree
        const name = findFreeName(now, stream, parentId)
        await account.client.call('streams.update', {
          id: stream.id,
          update: { parentId, ...(name !== stream.name && { name }) }
        })
        setProgress(t('connect.move.progress', { count: ++count, total: streams.length }))
        if (name !== stream.name) await account.readStreams()
      }
    } finally {
      await Promise.all([account.readStreams(), account.readFacts()])
    }
    onClose()
    showToast(t('connect.move.moved', { count }))
  }
  return (
    <Dialog title={t('connect.move.title', { name: toPlainText(connection.name) })} onClose={onClose}>
      <p>{t(movable.length === 0 ? 'connect.move.nothing' : 'connect.move.lead')}</p>
      {movable.length > 0 && (
        <Form action={t('connect.move.action')} onSubmit={async ({ target = '' }) => await move(target)}>
          <fieldset class="movable">
            <legend>{t('connect.move.what')}</legend>
            {movable.map(({ id, name }) => (
              <label key={id} class="tick">
                <input
                  type="checkbox"
                  checked={!left.includes(id)}
                  onChange={() =>
                    setLeft(left.includes(id) ? left.filter(each => each !== id) : [...left, id])
                  }
                />
                {toPlainText(name)}
              </label>
            ))}
          </fieldset>
          <FormRow name="target" label={t('connect.move.to')}>
            {controlProps => (
              <select {...controlProps}>
                <option value={topLevel}>{t('connect.move.top')}</option>
                <StreamOptions isWholly without={[connection.streamId, ...movable.map(({ id }) => id)]} />
              </select>
            )}
          </FormRow>
          <p role="status">{progress}</p>
        </Form>
      )}
    </Dialog>
  )
}
