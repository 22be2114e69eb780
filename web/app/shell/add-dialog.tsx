/** The dialog for adding an event, loaded when first opened. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { isReachable } from '../data/reachable.js'
import { useStore } from '../data/store.js'
import { showFailure, showToast } from '../parts/toast.js'
import { addModuleTexts } from '../texts.js'
import { currentDraft, type AddProps } from './adding.js'

/**
 * The dialog for adding an event, loaded when first opened. If the service cannot be reached, shows a message
 * instead.
 */
export function AddDialog() {
  const draft = useStore(currentDraft)
  const [View, setView] = useState<ComponentType<AddProps>>()
  // The dialog belongs to the open account.
  useEffect(() => () => currentDraft.set(undefined), [])
  useEffect(() => {
    // What would be kept on the device until the server is back would outlive the session.
    if (draft && !isReachable.value) {
      currentDraft.set(undefined)
      showToast(t('shell.offlineAdd'))
      return
    }
    if (!draft || View) return
    Promise.all([import('../events/quick-add.js'), addModuleTexts('events'), addModuleTexts('data')]).then(
      ([module]) => setView(() => module.default),
      (error: unknown) => {
        currentDraft.set(undefined)
        showFailure(error)
      }
    )
  }, [draft, View])
  return draft && View ? <View draft={draft} onClose={() => currentDraft.set(undefined)} /> : null
}
