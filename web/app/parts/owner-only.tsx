/** Renders its children only for the signed-in owner, not for shared links. */
import type { ComponentChildren } from 'preact'
import { useAccount } from '../data/account.js'

/** Renders `children`, or nothing to guests. */
export function OwnerOnly({ children }: { readonly children: ComponentChildren }) {
  return useAccount().isOwner ? <>{children}</> : null
}
