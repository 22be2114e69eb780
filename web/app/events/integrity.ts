/** Whether an event is as it was written: its digest, computed again in the browser. (docs/spec/integrity.md) */

import { toCanonicalJson } from '../../../core/json/canonical.js'

/** `untold`: there is no digest; `unchecked`: this browser cannot make one. */
export type Proof = 'matches' | 'differs' | 'untold' | 'unchecked'

type Item = Readonly<Record<string, unknown>>

/** Returns whether an event matches its integrity value. */
export async function proofOf(event: object): Promise<Proof> {
  const { integrity } = event as Item
  if (typeof integrity !== 'string') return 'untold'
  const [, algorithm = '', digest] = /^EVENT:0:(\w+)-(.+)$/.exec(integrity) ?? []
  const name = { sha1: 'SHA-1', sha256: 'SHA-256', sha512: 'SHA-512' }[algorithm]
  // Browsers make digests on secure pages only.
  if (name === undefined || !('subtle' in crypto)) return 'unchecked'
  const bytes = new Uint8Array(
    await crypto.subtle.digest(name, new TextEncoder().encode(eventText(event as Item)))
  )
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary) === digest ? 'matches' : 'differs'
}

/** Returns the text that the digest is made of. */
export function eventText(event: Item): string {
  const { integrity: _digest, tags: _tags, streamId, attachments, duration, trashed, ...rest } = event
  return toCanonicalJson({
    ...rest,
    ...(rest['streamIds'] ? {} : { streamIds: [streamId] }),
    ...(duration ? { duration } : {}),
    ...(trashed === true ? { trashed } : {}),
    ...(Array.isArray(attachments)
      ? { attachments: (attachments as readonly Item[]).map(({ readToken: _own, ...each }) => each) }
      : {})
  })
}
