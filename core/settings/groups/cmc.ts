/** Settings of consent and messages between accounts. */
import { Type } from 'typebox'
import { flag, group, integer, milliseconds } from '../kinds.js'

export const cmc = group({
  enabled: flag(
    'Let accounts ask accounts on this and other servers for data access, and exchange messages with them. Nothing appears in an account before it is used',
    true
  ),
  capabilityDays: integer('Days for which an offer can be accepted, unless it says otherwise', 7, 1, 30),
  allowInternalTargets: flag(
    'Allow peers at loopback, private and other internal addresses, and over http. For tests',
    false
  ),
  timeoutMs: milliseconds(
    'Timeout of a call to a peer, from the DNS lookup to the end of the response, in milliseconds',
    15_000
  ),
  retryDays: integer('Days for which a failed delivery to a peer is retried', 30, 1, 365),
  retryMaxDelayMs: milliseconds(
    'Maximum wait between two attempts of a delivery, in milliseconds',
    86_400_000
  ),
  maxPerPeerPerMinute: integer('Maximum number of events that a peer can deliver per minute', 120, 1),
  maxPerCapabilityPerMinute: integer('Maximum number of calls with the link of an offer per minute', 20, 1),
  trustedReturnOrigins: Type.Array(Type.String({ pattern: '^https?://[^\\s/?#@]+$' }), {
    default: [],
    maxItems: 100,
    description:
      'Origins of apps to which the page for accepting offers passes the API endpoint of the access that it has granted'
  })
})
