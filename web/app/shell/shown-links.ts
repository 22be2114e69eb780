/** Which pages the navigation links to: not those of features that the operator has turned off. */
import { useContext } from 'preact/hooks'
import { PageContext } from '../../page-context.js'
import type { PageName } from '../route.js'

/** Returns the filter of links. */
export function useShownLinks(): (link: readonly [PageName, ...unknown[]]) => boolean {
  const { hasChannels, hasConsent } = useContext(PageContext).facts
  return ([name]) => (name !== 'channels' || hasChannels) && (name !== 'people' || hasConsent)
}
