/** Shows whether an event matches its integrity value. Shows nothing until it has been checked. */
import { useEffect, useState } from 'preact/hooks'
import { t } from '../../language.js'
import type { Event } from '../data/model.js'
import { Icon } from '../parts/icon.js'
import { toCanonicalJson } from '../../../core/json/canonical.js'

/** Computes the digest in the browser and shows the result. */
export function Integrity({ event }: { readonly event: Event }) {
  const [proof, setProof] = useState<IntegrityResult>()
  useEffect(() => {
    let isGone = false
    void checkIntegrity(event).then(found => {
      if (!isGone) setProof(found)
    })
    return () => {
      isGone = true
    }
  }, [event])
  if (proof === undefined) return null
  return (
    <p class={`proof ${proof}`}>
      <Icon name={proof === 'matches' ? 'check' : proof === 'differs' ? 'close' : 'lock'} />
      <span>{t(`events.proof.${proof}`)}</span>
    </p>
  )
}

/** `missing`: the event has no integrity value; `unchecked`: this browser cannot compute digests. */
type IntegrityResult = 'matches' | 'differs' | 'missing' | 'unchecked'

type Item = Readonly<Record<string, unknown>>

/**
 * Compares an event with its integrity value: `missing` if it has none, `unchecked` if the browser cannot
 * compute it.
 */
async function checkIntegrity(event: object): Promise<IntegrityResult> {
  const { integrity } = event as Item
  if (typeof integrity !== 'string') return 'missing'
  const [, algorithm = '', digest] = /^EVENT:0:(\w+)-(.+)$/.exec(integrity) ?? []
  const name = { sha1: 'SHA-1', sha256: 'SHA-256', sha512: 'SHA-512' }[algorithm]
  // Browsers compute digests only on secure pages.
  if (name === undefined || !('subtle' in crypto)) return 'unchecked'
  const bytes = new Uint8Array(
    await crypto.subtle.digest(name, new TextEncoder().encode(toDigestInput(event as Item)))
  )
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary) === digest ? 'matches' : 'differs'
}

/** Returns the text from which the digest is computed. */
function toDigestInput(event: Item): string {
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
