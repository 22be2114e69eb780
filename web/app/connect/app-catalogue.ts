/** What the pages know of the apps that can be connected, by dialect. (docs/connect.md) */
import { t } from '../../language.js'

/** What people may have, in the order of the choices. */
export const devices = ['android', 'iphone', 'watch', 'scale', 'sensor', 'computer'] as const
type Device = (typeof devices)[number]

interface AppInfo {
  readonly devices: readonly Device[]
  readonly cost: 'free' | 'extras' | 'paid' | 'service'
  /** Hours without data after which something is probably wrong. */
  readonly quietHours: number
  /** Whether it can send data on sexual and reproductive health. */
  readonly hasSensitive?: true
  /** Whether it can encrypt what it sends. */
  readonly hasPassphrase?: true
  /** Whether it shows where friends are. */
  readonly hasFriends?: true
  /** Lists what users copy into the app, with the key of each label. By default, the address and the token. */
  readonly listFields?: (setup: Setup) => readonly SetupField[]
}

/** What the service returns when an app is connected. */
export interface Setup {
  readonly url: string
  readonly token: string
  readonly name: string
  readonly username: string
}

type SetupField = readonly [
  label:
    | 'address'
    | 'apiKey'
    | 'device'
    | 'gpslogger'
    | 'headerName'
    | 'headerValue'
    | 'osmand'
    | 'password'
    | 'secret'
    | 'token'
    | 'username',
  value: string
]

const day = 24
const listHeader = ({ token, url }: Setup): readonly SetupField[] => [
  ['address', url],
  ['headerName', 'Authorization'],
  ['headerValue', `Bearer ${token}`]
]
const listAddress = ({ url }: Setup): readonly SetupField[] => [['address', url]]

/** In the order in which they are offered. */
const apps: Readonly<Record<string, AppInfo>> = {
  'hc-webhook': {
    devices: ['android', 'iphone', 'watch', 'scale'],
    cost: 'free',
    quietHours: day,
    hasSensitive: true,
    listFields: listHeader
  },
  'health-auto-export': {
    devices: ['iphone', 'watch', 'scale'],
    cost: 'paid',
    quietHours: 2 * day,
    hasSensitive: true,
    listFields: listHeader
  },
  owntracks: {
    devices: ['android', 'iphone'],
    cost: 'free',
    quietHours: day,
    hasPassphrase: true,
    hasFriends: true,
    listFields: ({ name, token, url, username }) => [
      ['address', url],
      ['username', username],
      ['password', token],
      ['device', name]
    ]
  },
  overland: { devices: ['iphone'], cost: 'free', quietHours: day },
  osmand: {
    devices: ['android', 'iphone'],
    cost: 'free',
    quietHours: 7 * day,
    listFields: ({ url }) => [
      ['address', url],
      ['gpslogger', `${url}?%ALL`],
      ['osmand', `${url}?lat={0}&lon={1}&timestamp={2}&hdop={3}&altitude={4}&speed={5}&bearing={6}`]
    ]
  },
  nightscout: {
    devices: ['sensor', 'android', 'iphone'],
    cost: 'free',
    quietHours: 1,
    listFields: ({ token, url }) => [
      ['address', url],
      ['secret', token]
    ]
  },
  openscale: { devices: ['scale', 'android'], cost: 'free', quietHours: 14 * day, listFields: listHeader },
  'sleep-as-android': {
    devices: ['android', 'watch'],
    cost: 'extras',
    quietHours: 3 * day,
    listFields: listAddress
  },
  influx: { devices: ['computer', 'scale', 'android'], cost: 'free', quietHours: day },
  listenbrainz: { devices: ['computer', 'android'], cost: 'free', quietHours: 14 * day },
  wakatime: {
    devices: ['computer'],
    cost: 'free',
    quietHours: 7 * day,
    // Its plugins refuse keys that are no UUIDs, so that the token is part of the address.
    listFields: ({ token, url }) => [
      ['address', `${url}/~${token}`],
      ['apiKey', '00000000-0000-4000-8000-000000000000']
    ]
  },
  json: {
    devices: ['android', 'iphone', 'watch', 'scale', 'sensor', 'computer'],
    cost: 'free',
    quietHours: 7 * day,
    listFields: listAddress
  }
}
const unknown: AppInfo = { devices, cost: 'service', quietHours: 7 * day }

/** Returns what is known of an app; a neutral description if its dialect is newer than this page. */
export function getApp(dialect: string): AppInfo {
  return (Object.hasOwn(apps, dialect) ? apps[dialect] : undefined) ?? unknown
}

/** Sorts the dialects that the service understands in the order in which they are offered. */
export function sortDialects<Each extends { readonly id: string }>(
  dialects: readonly Each[]
): readonly Each[] {
  const order = Object.keys(apps)
  const getPlace = ({ id }: Each): number => (order.includes(id) ? order.indexOf(id) : order.length)
  return dialects.toSorted((a, b) => getPlace(a) - getPlace(b))
}

/**
 * Returns a text about an app: what it brings, the steps that set it up, and what to check if nothing
 * arrives. Apps that this page does not know get general texts.
 */
export function getAppText(dialect: string, what: 'brings' | 'check' | 'steps'): string {
  const id = Object.hasOwn(apps, dialect) ? dialect : 'other'
  return t(`connect.${id}.${what}` as 'connect.owntracks.brings')
}

/** Lists what users copy into the app: by default the address and the token. */
export function listSetupFields(dialect: string, setup: Setup): readonly SetupField[] {
  const { listFields } = getApp(dialect)
  return (
    listFields?.(setup) ?? [
      ['address', setup.url],
      ['token', setup.token]
    ]
  )
}
