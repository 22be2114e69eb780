/** Settings of channels, where notifications go. */
import { flag, group, integer, milliseconds } from '../kinds.js'

export const channels = group({
  enabled: flag(
    'Send notifications to the channels of users: Web Push, email, ntfy, Gotify, Apprise, webhooks, people with access, and events. If false, nothing is sent, and what is queued waits',
    true
  ),
  maxPerHour: integer(
    'Maximum number of notifications of an account per hour and target. The others are counted in one summary when the hour is over',
    60,
    1,
    10_000
  ),
  timeoutMs: milliseconds(
    'Timeout of a call to a channel, from the DNS lookup to the end of the response, in milliseconds',
    10_000
  ),
  allowInternalTargets: flag(
    'Allow channels at loopback, private and other internal addresses, such as an ntfy server in the same network. All users can then make the service call such addresses',
    false
  )
})
