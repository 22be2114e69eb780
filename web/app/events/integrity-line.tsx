/** Shows whether an event matches its integrity value. Shows nothing until it has been checked. */
import { useEffect, useState } from 'preact/hooks'
import { t } from '../../language.js'
import type { Event } from '../data/model.js'
import { Icon } from '../parts/icon.js'
import { checkIntegrity, type IntegrityResult } from './check-integrity.js'

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
