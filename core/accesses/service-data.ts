/** Client data of accesses that only the service sets. (docs/spec/accesses.md#fields) */
import type { KeyValue } from '../../schemas/scalars.js'
import { fail, quoteText } from '../errors.js'

/** Returns whether a key of an access's client data belongs to the service. */
export function isServiceKey(key: string): boolean {
  return key === 'cmc' || key === 'dpop' || key.startsWith('coffer:')
}

/** Throws `invalid-operation` for client data that claims a relationship with another account. */
export function assertNoCmcData(clientData: KeyValue | null | undefined): void {
  if (clientData && Object.hasOwn(clientData, 'cmc'))
    fail('invalid-operation', 'The client data "cmc" can only be set by the service', {
      id: 'cmc-clientdata-cmc-forbidden'
    })
}

/** Throws `invalid-operation` for client data that only the service sets, except under a key. */
export function assertNoServiceData(clientData: KeyValue | null | undefined, except?: string): void {
  assertNoCmcData(clientData)
  for (const key in clientData)
    if (key !== except && isServiceKey(key))
      fail('invalid-operation', `The client data ${quoteText(key)} can only be set by the service`)
}
