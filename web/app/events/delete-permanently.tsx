/** Deletes an event permanently, after showing what is deleted with it. */
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { ignoreFailure, useAccount } from '../data/account.js'
import { formatEvent } from '../data/event-types.js'
import type { Event } from '../data/model.js'
import { Confirm } from '../parts/confirm.js'
import { formatDateTime } from '../parts/format-time.js'
import { showToast } from '../parts/toast.js'

interface Props {
  readonly event: Event
  readonly files: number
  readonly versions: number
  readonly onClose: () => void
  readonly onDeleted: () => void
}

/**
 * Shows the confirmation. Confirming deletes the event, rereads facts, shows a toast, then calls `onClose` and
 * `onDeleted`.
 */
export function DeletePermanently({ event, files, versions, onClose, onDeleted }: Props) {
  const account = useAccount()
  const { id, streamIds, time, type } = event
  const streams = streamIds.map(each => toPlainText(account.tree.value?.find(each)?.name ?? each)).join(', ')
  return (
    <Confirm
      title={t('events.deleteTitle')}
      action={t('shell.deletePermanently')}
      onClose={onClose}
      onConfirm={async () => {
        await account.client.call('events.delete', { id })
        ignoreFailure(account.readFacts())
        showToast(t('shell.deleted'))
        onClose()
        onDeleted()
      }}
    >
      <p>{t('events.deleteText', { what: formatEvent(event), time: formatDateTime(time), streams })}</p>
      <ul>
        {files > 0 && <li>{t('events.deleteFiles', { count: files })}</li>}
        {type.startsWith('series:') && <li>{t('events.deletePoints')}</li>}
        {versions > 0 && <li>{t('events.deleteHistory')}</li>}
        <li>{t('events.deleteShared')}</li>
      </ul>
    </Confirm>
  )
}
