/** Settings of shared secrets. */
import { flag, group, integer } from '../kinds.js'

export const sharedSecrets = group({
  enabled: flag('Let users and apps hand over secrets that can be retrieved once', true),
  maxSizeBytes: integer('Maximum size of a shared secret, in bytes of JSON', 4096, 1, 1024 * 1024),
  maxTtl: integer('Maximum lifetime of a shared secret until it is retrieved, in seconds', 2_592_000, 1),
  maxTriesPerMinute: integer(
    'Attempts to retrieve secrets of an account from one IP address within a minute before further attempts must wait',
    20,
    1
  )
})
