/** The dialog for adding an event, loaded when first opened. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { explain } from '../../problem.js'
import { useStore } from '../data/store.js'
import { tell } from '../parts/toast.js'
import { addTextsOf } from '../texts.js'
import { adding, type AddProps } from './adding.js'

export function Adding() {
  const draft = useStore(adding)
  const [View, setView] = useState<ComponentType<AddProps>>()
  // The dialog belongs to the open account.
  useEffect(() => () => adding.set(undefined), [])
  useEffect(() => {
    if (!draft || View) return
    Promise.all([import('../events/quick-add.js'), addTextsOf('events'), addTextsOf('data')]).then(
      ([module]) => setView(() => module.default),
      (error: unknown) => {
        adding.set(undefined)
        tell(explain(error).message)
      }
    )
  }, [draft, View])
  return draft && View ? <View draft={draft} onClose={() => adding.set(undefined)} /> : null
}
