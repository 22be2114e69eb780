/** What only the person who is signed in can do, and who follows a link is not offered. */
import type { ComponentChildren } from 'preact'
import { useAccount } from '../data/account.js'

export function Own({ children }: { readonly children: ComponentChildren }) {
  return useAccount().isOwner ? <>{children}</> : null
}
