/** The dialects that are received, by id. */
import type { Dialects } from '../../core/call/dialects.js'
import type { Dialect } from './dialect.js'
import { hcWebhook } from './dialects/hc-webhook.js'
import { healthAutoExport } from './dialects/health-auto-export.js'
import { influx } from './dialects/influx.js'
import { json } from './dialects/json.js'
import { listenbrainz } from './dialects/listenbrainz.js'
import { openscale } from './dialects/openscale.js'
import { sleepAsAndroid } from './dialects/sleep-as-android.js'
import { wakatime } from './dialects/wakatime.js'
import { limitReading } from './limit-reading.js'
import { setupLinks } from './links.js'
import { nightscout } from './nightscout/nightscout.js'
import { osmand } from './osmand.js'
import { overland } from './overland.js'
import { owntracks } from './owntracks.js'

export const dialects: ReadonlyMap<string, Dialect> = new Map(
  [
    hcWebhook,
    healthAutoExport,
    owntracks,
    overland,
    osmand,
    influx,
    openscale,
    sleepAsAndroid,
    listenbrainz,
    wakatime,
    json,
    nightscout
  ].map((dialect: Dialect) => [dialect.id, dialect])
)

/** Describes the dialects for the core. */
export function describeDialects(): Dialects {
  return new Map(
    Array.from(dialects, ([id, dialect]) => [
      id,
      {
        id,
        name: dialect.name,
        format: dialect.format ?? { id, name: dialect.name },
        hasTokenInUrl: dialect.hasTokenInUrl ?? false,
        sendsDigest: dialect.sendsDigest ?? false,
        showsFriends: 'presentFriend' in dialect,
        readsBack: 'serve' in dialect,
        createLink: setupLinks[id],
        ...(dialect.readWaiting && {
          readWaiting: (...given) => limitReading(dialect.readWaiting!(...given))
        })
      }
    ])
  )
}
