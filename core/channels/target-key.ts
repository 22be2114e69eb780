/** What tells targets of channels apart: the hourly limit holds for a target, however many channels lead there. (docs/api/channels.md#delivery) */
import { createHash } from 'node:crypto'
import type { StoredChannel } from '../../storage/channels/channel-repository.js'
import { parseUrl } from '../parse-url.js'

/** Returns a digest of where the messages of a channel go. */
export function getTargetKey({ channel: { target, type }, secrets }: StoredChannel): string {
  const { accessId, address, digest, streamId, topic, url } = target
  const place = [
    digest,
    address?.toLowerCase(),
    url === undefined ? undefined : normalizeUrl(url),
    topic,
    accessId,
    streamId,
    type === 'gotify' ? secrets.token : secrets.key
  ]
  return createHash('sha256')
    .update(JSON.stringify([type, ...place]))
    .digest('base64url')
}

/** Returns a URL without what a receiver may ignore. */
function normalizeUrl(text: string): string {
  const url = parseUrl(text)
  return url ? `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '')}` : text
}
