/**
 * All settings: name, type, default and meaning. The types, the configuration reference, `--help` and the names of
 * environment variables are derived from here. Times are seconds unless a name ends in `Ms`; sizes are bytes.
 */
import { Type, type Static } from 'typebox'
import { AppSettings } from '../../schemas/app.js'
import {
  amount,
  flag,
  formText,
  group,
  headerName,
  list,
  milliseconds,
  path,
  streams,
  text,
  whole
} from './kinds.js'
import { audit } from './audit.js'
import { auth } from './auth.js'
import { alarms } from './alarms.js'
import { backup } from './backup.js'
import { cluster } from './cluster.js'
import { deletions, imports, limits, previews, quota, sockets, throttle, uploads } from './limits.js'
import { oauth } from './oauth.js'
import { services } from './services.js'
import type { TextFormName } from './text-forms.js'

export const Settings = group({
  host: formText('host', 'Address to listen on', '127.0.0.1'),
  port: Type.Integer({
    default: 3000,
    minimum: 0,
    maximum: 65535,
    description: 'Port to listen on; 0 takes any free one'
  }),
  dataDir: path('Folder that holds all data; used by one process at a time', './data'),
  workers: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 64,
    description: 'Worker threads among which users are divided; 0: none, everything runs in the main thread'
  }),
  publicUrl: Type.String({
    default: '',
    pattern: '^(?:https?://[^\\s?#@]+)?$',
    form: 'webUrl' satisfies TextFormName,
    description:
      'Base URL under which clients reach the service; empty: http://{host}:{port}, or https://{domain}'
  }),
  domain: Type.String({
    default: '',
    pattern:
      '^(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*)?$',
    form: 'host' satisfies TextFormName,
    description:
      'Domain below which users have host names of their own ({username}.{domain}); empty: user names in the path'
  }),
  adminKey: Type.String({
    default: '',
    pattern: '^(?:\\S(?:.*\\S)?)?$',
    secret: true,
    description: 'Key of the system and admin routes, long and random; empty: these routes are closed'
  }),
  operators: Type.Array(Type.String({ pattern: '^[a-z0-9][a-z0-9-]{3,58}[a-z0-9]$' }), {
    default: [],
    description:
      'User names of those who run the service: signed in, they have its page /operator, and nobody else may register them; the set-up link works while there are none'
  }),
  accessIdHeader: Type.String({
    default: 'Access-Id',
    pattern: headerName,
    description: 'Response header that names the access used'
  }),
  service: group({
    name: text('Name of the platform', 'Coffer'),
    home: text('Home page of the platform', ''),
    support: text('Where to get help: URL or e-mail address', ''),
    terms: text('Terms of service: URL or text', ''),
    eventTypes: formText(
      'sourceUrl',
      'URL or file:// URL of event types that extend the built-in directory; empty: none'
    ),
    hosting: text('Name of the only hosting', 'default'),
    assets: Type.Record(
      Type.String({ pattern: '^(?!definitions$)[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$' }),
      Type.String({ pattern: '^https?://[^\\s]{1,2000}$', form: 'webUrl' satisfies TextFormName }),
      {
        default: {},
        description:
          'Further assets that the service information names, by name: `{"my-model": "https://example.com/model.json"}`'
      }
    ),
    adapters: Type.Array(Type.String({ pattern: '^https?://[^\\s?#@]{1,2000}$' }), {
      default: [],
      maxItems: 100,
      description:
        'Base URLs of adapters that the service information names, each serving a `manifest.json`; `{username}` stands for the user'
    })
  }),
  auth,
  app: group({
    mapFile: path(
      'PMTiles file with vector tiles that the app draws behind places and tracks, all of it read from this service; empty: squared paper',
      ''
    )
  }),
  services,
  access: group({
    defaultAuthUrl: Type.String({
      default: '',
      pattern: '^(https?://[^\\s?#@]+(\\?[^\\s#]*)?)?$',
      form: 'webUrl' satisfies TextFormName,
      description:
        "Page on which users decide on requests of apps; empty: the service's own, access/access.html"
    }),
    trustedAuthUrls: Type.Array(Type.String({ pattern: '^https?://[^\\s?#@]+$', form: 'webUrl' }), {
      default: [],
      description: 'Further such pages that apps may use, including all URLs below them'
    }),
    returnSchemes: Type.Array(Type.String({ pattern: '^[A-Za-z][A-Za-z0-9+.-]*$' }), {
      default: [],
      description:
        'URL schemes, besides http and https, that users may be sent back to, by OAuth too: `cursor`, for example'
    }),
    apps: Type.Array(AppSettings, {
      default: [],
      description:
        'Apps known to the platform, each with an id and optional details such as its returnURLs, or `oauth`'
    }),
    parameterPrefix: Type.String({
      default: 'prYv',
      pattern: '^[A-Za-z0-9_-]*$',
      description: 'Prefix of the parameters added to return URLs'
    }),
    maxRequests: whole(
      'Authorisation requests kept at a time; beyond that the oldest are dropped',
      10_000,
      1
    ),
    maxRequestBytes: whole('Largest authorisation request', 64 * 1024, 1024),
    maxRequestsPerHour: whole('Authorisation requests an hour from one address, loopback excepted', 1000, 1)
  }),
  oauth,
  userAccount: group({
    delete: Type.Array(Type.Enum(['adminToken', 'personalToken']), {
      default: ['adminToken', 'personalToken'],
      description:
        'Who may delete an account: adminToken: holders of the admin key and operators, personalToken: its owner, who also proves who they are'
    }),
    deletionGraceDays: whole(
      'Days that an account stays closed after its owner has deleted it, before everything in it is removed; until then its owner, by signing in, or an operator brings it back. 0: none',
      7,
      0,
      3650
    )
  }),
  registration: group({
    invitationTokens: Type.Union([Type.Null(), Type.Array(Type.String({ minLength: 5, maxLength: 99 }))], {
      default: null,
      secret: true,
      description:
        'Who may register: null: everybody; []: nobody, not even with an invitation; otherwise holders of one of these tokens, or of an invitation'
    }),
    emailLookup: flag(
      'Let anybody look up the user name for an e-mail address; without it the pages accept only user names',
      true
    ),
    reservedUsernames: list('Further user names that nobody may take', []),
    maxPerHour: whole('Registrations an hour from one address, loopback excepted', 100, 1),
    maxLookupsPerHour: whole(
      'Look-ups of user names and e-mail addresses an hour from one address, loopback excepted',
      1000,
      1
    )
  }),
  throttle,
  limits,
  sockets,
  uploads,
  previews,
  deletions,
  imports,
  quota,
  integrity: group({
    algorithm: Type.Enum(['sha256', 'sha512', 'sha1', 'md5'], {
      default: 'sha256',
      description: 'Digest of integrity values'
    }),
    isActive: group({
      events: flag('Add integrity values to events', true),
      accesses: flag('Add integrity values to accesses', true),
      attachments: flag('Add integrity values to attachments', true)
    })
  }),
  audit,
  webhooks: group({
    minIntervalMs: whole(
      'Least time between two calls of a webhook; also the base of the growing delay between retries',
      5000
    ),
    maxRetries: whole('Failed calls in a row after which a webhook becomes inactive', 5, 1),
    runsSize: whole('Number of latest calls recorded for each webhook', 20, 1),
    maxPerUser: whole('Webhooks of one user', 100, 1),
    timeoutMs: milliseconds('Timeout of a call, from the DNS lookup to the end of the response', 10_000),
    perSecond: whole('Calls in a second, of all webhooks together', 100, 1),
    concurrency: whole('Calls at a time', 128, 1),
    perHost: whole('Calls at a time to one host', 4, 1),
    perUser: whole('Calls at a time for one user', 4, 1),
    allowInternalTargets: flag('Allow loopback, private and other internal addresses', false)
  }),
  versioning: group({
    forceKeepHistory: flag('Keep earlier versions of events', false),
    deletionMode: Type.Enum(['keep-nothing', 'keep-authors', 'keep-everything'], {
      default: 'keep-nothing',
      description: 'What remains of deleted events and of their earlier versions'
    })
  }),
  storage: group({
    maxOpenUsers: whole(
      'Users whose files are open at the same time; each takes about 0.6 MB of memory',
      300,
      1
    ),
    idleSeconds: whole('Time without use after which the file of a user is closed, seconds', 60, 1),
    cacheKiB: whole('Page cache of each open file, KiB', 1024, 64, 2 ** 31 - 1)
  }),
  hf: group({
    port: Type.Union([Type.Null(), Type.Integer({ minimum: 0, maximum: 65535 })], {
      default: null,
      description:
        'Separate port for high-frequency series, which the main port serves too; null: none; 0: any free one'
    })
  }),
  metrics: group({
    port: Type.Union([Type.Null(), Type.Integer({ minimum: 0, maximum: 65535 })], {
      default: null,
      description:
        'Separate port for /metrics, without a key; null: on the main port, with the adminKey; 0: any free one'
    })
  }),
  backup,
  alarms,
  cluster,
  http: group({
    trustedProxies: Type.Array(Type.String({ form: 'range', minLength: 1 }), {
      default: [],
      description: 'Addresses or ranges of proxies whose X-Forwarded-For header is trusted'
    })
  }),
  log: group({
    format: Type.Enum(['auto', 'json', 'text'], {
      default: 'auto',
      description: 'Form of the log: json: a line of JSON each; text: for people; auto: text on a terminal'
    }),
    level: Type.Enum(['debug', 'info', 'warn', 'error', 'silent'], {
      default: 'info',
      description: 'Minimum level of log messages'
    }),
    requests: flag('Log a line for each call: method, status, duration, access; at level info', false)
  }),
  custom: group({
    systemStreams: group({
      account: streams('Account fields in addition to the built-in ones, as stream definitions'),
      other: streams('Further system streams that every account has, as stream definitions')
    })
  }),
  backwardCompatibility: group({
    systemStreams: group({
      prefix: group({
        isActive: flag('Return and accept ids of system streams in their older form, `.email`', false)
      })
    }),
    tags: group({
      isActive: flag('Support tags, which are stored as streams; decide before there are events', true),
      rootStreamId: Type.String({
        default: 'tags-migrated',
        minLength: 1,
        description: 'Stream below which tag streams are created'
      }),
      streamIdPrefix: Type.String({
        default: 'tag-migrated-',
        minLength: 1,
        description: 'Prefix of the ids of tag streams'
      })
    })
  }),
  accessTracking: flag('Count calls and last use of each access', true),
  ignoreProtectedFieldUpdates: flag('Ignore updates of protected fields instead of refusing them', false),
  shutdownSeconds: amount('Time for calls in flight to end at shutdown, seconds', 8, 2_000_000)
})
export type Settings = Static<typeof Settings>
