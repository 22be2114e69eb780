/** Links that set apps up, by dialect. */
import type { DialectSetup } from '../../core/call/dialects.js'

export const setupLinks: Readonly<Record<string, ((setup: DialectSetup) => string) | undefined>> = {
  owntracks({ name, token, url, username }) {
    const configuration = {
      _type: 'configuration',
      // HTTP
      mode: 3,
      url,
      auth: true,
      username,
      password: token,
      deviceId: name,
      tid: toTrackerId(name)
    }
    const inline = Buffer.from(JSON.stringify(configuration)).toString('base64')
    return `owntracks:///config?inline=${encodeURIComponent(inline)}`
  },

  overland: ({ name, token, url }) => `overland://setup?${encodeQuery({ url, token, device_id: name })}`,

  'health-auto-export': ({ token, url }) =>
    `com.HealthExport://automation?${encodeQuery({
      url,
      name: 'Coffer',
      headers: `Authorization,Bearer ${token}`,
      format: 'json',
      datatype: 'healthmetrics',
      aggregatedata: 'false',
      period: 'lastsync',
      interval: 'minutes',
      syncinterval: 'hours',
      syncquantity: '1',
      enabled: 'true'
    })}`
}

/** Encodes a query with `%20` for spaces: apps do not read `+` as a space. */
function encodeQuery(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')
}

/** Returns the two characters that OwnTracks shows on its map. */
function toTrackerId(name: string): string {
  return (name.replaceAll(/[^\p{L}\p{N}]/gu, '').slice(0, 2) || 'me').toUpperCase()
}
