/** One request of each dialect that brings one record, by number: each dialect has a type of its own. */

export interface DialectCase {
  readonly dialect: string
  /** Params of `connections.create`. */
  readonly fields?: object
  /** Type of the records, without `series:`. */
  readonly type: string
  /** Tells positions of several dialects apart. */
  readonly longitude?: number
  /** Path after the token. */
  readonly path: string
  /** Returns the body that brings a record of a time, in whole seconds. `at` makes its content unique. */
  readonly build: (time: number, at: number) => unknown
}

const iso = (time: number): string => new Date(time * 1000).toISOString()
/** As Health Auto Export writes it. */
const written = (time: number): string => `${iso(time).slice(0, 19).replace('T', ' ')} +0000`

export const everyDialect: readonly DialectCase[] = [
  {
    dialect: 'owntracks',
    type: 'position/wgs84',
    longitude: 1,
    path: '',
    build: (tst, at) => ({ _type: 'location', lat: at / 1e4, lon: 1, tst, tid: 'OT' })
  },
  {
    dialect: 'overland',
    type: 'position/wgs84',
    longitude: 2,
    path: '',
    build: (time, at) => ({
      locations: [
        {
          type: 'Feature',
          geometry: { type: 'Point', coordinates: [2, at / 1e4] },
          properties: { timestamp: iso(time), device_id: 'o' }
        }
      ]
    })
  },
  {
    dialect: 'osmand',
    type: 'position/wgs84',
    longitude: 3,
    path: '',
    build: (time, at) => ({
      device_id: 'x',
      location: { timestamp: iso(time), coords: { latitude: at / 1e4, longitude: 3 } }
    })
  },
  {
    dialect: 'hc-webhook',
    type: 'temperature/c',
    path: '',
    build: (time, at) => ({ body_temperature: [{ time: iso(time), celsius: 35 + (at % 50) / 10 }] })
  },
  {
    dialect: 'health-auto-export',
    type: 'length/cm',
    path: '',
    build: (time, at) => ({
      data: {
        metrics: [
          {
            name: 'height',
            units: 'cm',
            data: [{ date: written(time), qty: 150 + at, source: 'w' }]
          }
        ]
      }
    })
  },
  {
    dialect: 'influx',
    type: 'count/generic',
    path: 'api/v2/write?precision=s',
    build: (time, at) => `m,room=a f=${at} ${time}`
  },
  {
    dialect: 'openscale',
    type: 'mass/kg',
    path: '',
    build: (time, at) => ({ event: 'insert', userId: 1, date: iso(time), weight: 50 + at / 10 })
  },
  {
    dialect: 'sleep-as-android',
    type: 'note/txt',
    path: '',
    build: time => ({ event: 'alarm_alert_start', value1: String(time * 1000) })
  },
  {
    dialect: 'listenbrainz',
    type: 'music/basic',
    path: '1/submit-listens',
    build: (time, at) => ({
      listen_type: 'single',
      payload: [{ listened_at: time, track_metadata: { artist_name: 'A', track_name: `T${at}` } }]
    })
  },
  {
    dialect: 'wakatime',
    type: 'activity/plain',
    path: 'users/current/heartbeats',
    build: (time, at) => ({ entity: 'x', type: 'file', project: `p${at}`, time })
  },
  {
    dialect: 'json',
    fields: { mapping: { items: '/list', time: '/at', value: '/v', type: 'energy/kcal', stream: 'Energy' } },
    type: 'energy/kcal',
    path: '',
    build: (time, at) => ({ list: [{ at: time, v: at }] })
  },
  {
    dialect: 'nightscout',
    type: 'nightscout/treatments',
    path: 'api/v1/treatments',
    build: (time, at) => ({ eventType: 'Announcement', created_at: iso(time), syncIdentifier: `s${at}` })
  }
]

/** Returns the path of a request below the account's root. */
export function getPath({ dialect, path }: DialectCase, token: string): string {
  return `from/${dialect}/~${token}${path === '' ? '' : `/${path}`}`
}
