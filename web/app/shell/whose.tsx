/** Loads the choice whose data is shown, if the user shares with anybody. */
import type { ComponentType } from 'preact'
import { useAccount } from '../data/account.js'
import { useStore } from '../data/store.js'
import { lazy } from '../parts/lazy.js'

/** Chooses whose data a page shows; see `whose-choice.tsx`. */
export const WhoseChoice = ifShared(lazy(async () => (await import('./whose-choice.js')).WhoseChoice))
/** Links that search the data of others. */
export const WhoseLinks = ifShared(lazy(async () => (await import('./whose-choice.js')).WhoseLinks))

function ifShared<P extends object>(View: ComponentType<P>): ComponentType<P> {
  return props =>
    useStore(useAccount().accesses).some(({ clientData }) => clientData?.['cmc']) ? <View {...props} /> : null
}
