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
  integer
} from './kinds.js'
import { attachments } from './groups/attachments.js'
import { account } from './groups/account.js'
import { audit } from './groups/audit.js'
import { auth } from './groups/auth.js'
import { alarms } from './groups/alarms.js'
import { backup } from './groups/backup.js'
import { channels } from './groups/channels.js'
import { cluster } from './groups/cluster.js'
import { cmc } from './groups/cmc.js'
import { deletions, imports, limits, previews, quota, sockets, throttle, uploads } from './groups/limits.js'
import { metrics } from './groups/metrics.js'
import { oauth } from './groups/oauth.js'
import { services } from './groups/services.js'
import { sharedSecrets } from './groups/shared-secrets.js'
import type { TextFormName } from './text-forms.js'

export const Settings = group({
  host: formText('host', 'Address to listen on', '127.0.0.1'),
  port: Type.Integer({
    default: 3000,
    minimum: 0,
    maximum: 65535,
    description: 'Port to listen on. 0: any free port'
  }),
  dataDir: path('Folder that holds all data. Only one process can use it at a time', './data'),
  workers: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 64,
    description:
      'Number of worker threads that users are distributed over. 0: everything runs in the main thread'
  }),
  publicUrl: Type.String({
    default: '',
    pattern: '^(?:https?://[^\\s?#@]+)?$',
    form: 'webUrl' satisfies TextFormName,
    description:
      'Base URL at which clients reach the service. If empty, http://{host}:{port}, or https://{domain}'
  }),
  domain: Type.String({
    default: '',
    pattern:
      '^(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*)?$',
    form: 'host' satisfies TextFormName,
    description: 'Domain for a host name per user ({username}.{domain}). If empty, usernames are in the path'
  }),
  adminKey: Type.String({
    default: '',
    pattern: '^(?:\\S(?:.*\\S)?)?$',
    secret: true,
    description:
      'Key for the system and admin routes. Must be long and random. If empty, these routes are closed'
  }),
  operators: Type.Array(Type.String({ pattern: '^[a-z0-9][a-z0-9-]{3,58}[a-z0-9]$' }), {
    default: [],
    description:
      'Usernames of operators, who can open Administration (/operator). The usernames are reserved. The set-up link works while there are no operators'
  }),
  accessIdHeader: Type.String({
    default: 'Access-Id',
    pattern: headerName,
    description: 'Response header that contains the ID of the access used'
  }),
  service: group({
    name: text('Name of the service', 'Coffer'),
    home: text('URL of the home page', ''),
    support: text('Support contact: URL or email address', ''),
    terms: text('Terms of service: URL or text', ''),
    eventTypes: formText(
      'sourceUrl',
      'URL (https:// or file://) of event types that extend the built-in directory. If empty, none are added'
    ),
    hosting: text('Name of the hosting', 'default'),
    assets: Type.Record(
      Type.String({ pattern: '^(?!definitions$)[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$' }),
      Type.String({ pattern: '^https?://[^\\s]{1,2000}$', form: 'webUrl' satisfies TextFormName }),
      {
        default: {},
        description:
          'Additional assets listed in the service information, by name: `{"my-model": "https://example.com/model.json"}`'
      }
    ),
    adapters: Type.Array(Type.String({ pattern: '^https?://[^\\s?#@]{1,2000}$' }), {
      default: [],
      maxItems: 100,
      description:
        'Base URLs of adapters listed in the service information. Each serves a `manifest.json`. `{username}` is replaced by the username'
    })
  }),
  auth,
  app: group({
    mapFile: path(
      'PMTiles file with vector tiles for the map in the app. If empty, the map shows a plain grid',
      ''
    )
  }),
  services,
  account,
  access: group({
    defaultAuthUrl: Type.String({
      default: '',
      pattern: '^(https?://[^\\s?#@]+(\\?[^\\s#]*)?)?$',
      form: 'webUrl' satisfies TextFormName,
      description:
        "URL of the consent page for requests from apps. If empty, the service's own page, access/access.html"
    }),
    trustedAuthUrls: Type.Array(Type.String({ pattern: '^https?://[^\\s?#@]+$', form: 'webUrl' }), {
      default: [],
      description: 'Other consent pages that apps can use, including all URLs below them'
    }),
    returnSchemes: Type.Array(Type.String({ pattern: '^[A-Za-z][A-Za-z0-9+.-]*$' }), {
      default: [],
      description:
        'URL schemes besides http and https that users can be redirected to, such as `cursor`. Also applies to OAuth'
    }),
    apps: Type.Array(AppSettings, {
      default: [],
      description: 'Registered apps, each with an ID and optional details such as `returnURLs` or `oauth`'
    }),
    parameterPrefix: Type.String({
      default: 'prYv',
      pattern: '^[A-Za-z0-9_-]*$',
      description: 'Prefix of the parameters added to return URLs'
    }),
    maxRequests: integer('Maximum pending access requests. The oldest are dropped first', 10_000, 1),
    maxRequestBytes: integer('Maximum size of an access request, in bytes', 64 * 1024, 1024),
    maxRequestsPerHour: integer('Maximum access requests per hour and IP address, except loopback', 1000, 1)
  }),
  oauth,
  userAccount: group({
    delete: Type.Array(Type.Enum(['adminToken', 'personalToken']), {
      default: ['adminToken', 'personalToken'],
      description:
        'Who can delete an account. adminToken: operators and holders of the admin key; personalToken: its owner, after confirming their identity'
    }),
    deletionGraceDays: integer(
      'Days until an account deleted by its owner is permanently removed. Until then, the owner can restore it by signing in, and an operator can cancel the deletion. 0: removed immediately',
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
        'Who can register. null: anyone; []: no one, even with an invitation; otherwise, people with one of these tokens or an invitation'
    }),
    emailLookup: flag(
      'Allow anyone to look up the username for an email address. If false, users sign in with their username only',
      true
    ),
    reservedUsernames: list("Additional usernames that can't be registered", []),
    maxPerHour: integer('Maximum registrations per hour and IP address, except loopback', 100, 1),
    maxLookupsPerHour: integer('Maximum account lookups per hour and IP address, except loopback', 1000, 1)
  }),
  throttle,
  limits,
  sockets,
  uploads,
  attachments,
  previews,
  deletions,
  imports,
  quota,
  integrity: group({
    algorithm: Type.Enum(['sha256', 'sha512', 'sha1', 'md5'], {
      default: 'sha256',
      description: 'Hash algorithm of integrity values'
    }),
    isActive: group({
      events: flag('Add integrity values to events', true),
      accesses: flag('Add integrity values to accesses', true),
      attachments: flag('Add integrity values to attachments', true)
    })
  }),
  audit,
  webhooks: group({
    minIntervalMs: integer(
      'Minimum interval between two calls of a webhook, in milliseconds. Also the initial delay between retries',
      5000
    ),
    maxRetries: integer('Number of consecutive failures after which a webhook is deactivated', 5, 1),
    runsSize: integer('Number of recent calls recorded per webhook', 20, 1),
    maxPerUser: integer('Maximum number of webhooks per user', 100, 1),
    timeoutMs: milliseconds(
      'Timeout of a webhook call, from the DNS lookup to the end of the response, in milliseconds',
      10_000
    ),
    perSecond: integer('Maximum number of webhook calls per second', 100, 1),
    concurrency: integer('Maximum number of webhook calls at a time', 128, 1),
    perHost: integer('Maximum number of webhook calls at a time to one host', 4, 1),
    perUser: integer('Maximum number of webhook calls at a time for one user', 4, 1),
    allowInternalTargets: flag('Allow webhooks to loopback, private and other internal addresses', false)
  }),
  channels,
  cmc,
  sharedSecrets,
  versioning: group({
    forceKeepHistory: flag('Keep earlier versions of events', false),
    deletionMode: Type.Enum(['keep-nothing', 'keep-authors', 'keep-everything'], {
      default: 'keep-nothing',
      description: 'What is kept of deleted events and their earlier versions'
    })
  }),
  storage: group({
    maxOpenUsers: integer('Maximum open user databases. Each uses about 0.6 MB of memory', 300, 1),
    idleSeconds: integer('Idle time after which a user database is closed, in seconds', 60, 1),
    cacheKiB: integer('Page cache of each open user database, in KiB', 1024, 64, 2 ** 31 - 1)
  }),
  hf: group({
    port: Type.Union([Type.Null(), Type.Integer({ minimum: 0, maximum: 65535 })], {
      default: null,
      description:
        'Additional port for high-frequency series, which the main port also serves. null: none; 0: any free port'
    })
  }),
  metrics,
  backup,
  alarms,
  cluster,
  http: group({
    trustedProxies: Type.Array(Type.String({ form: 'range', minLength: 1 }), {
      default: [],
      description: 'IP addresses or ranges of proxies whose X-Forwarded-For header is trusted'
    })
  }),
  log: group({
    format: Type.Enum(['auto', 'json', 'text'], {
      default: 'auto',
      description:
        'Log format. json: one JSON object per line; text: readable text; auto: text on a terminal, otherwise json'
    }),
    level: Type.Enum(['debug', 'info', 'warn', 'error', 'silent'], {
      default: 'info',
      description: 'Minimum level of log messages'
    }),
    requests: flag('Log each call at level info, with its method, status, duration and access', false)
  }),
  custom: group({
    systemStreams: group({
      account: streams('Additional account fields, as stream definitions'),
      other: streams('Additional system streams of every account, as stream definitions')
    })
  }),
  backwardCompatibility: group({
    systemStreams: group({
      prefix: group({
        isActive: flag('Return and accept IDs of system streams in their older form, such as `.email`', false)
      })
    }),
    tags: group({
      isActive: flag(
        'Support tags, which are stored as streams. Set this before any events are created',
        true
      ),
      rootStreamId: Type.String({
        default: 'tags-migrated',
        minLength: 1,
        description: 'ID of the parent stream of tag streams'
      }),
      streamIdPrefix: Type.String({
        default: 'tag-migrated-',
        minLength: 1,
        description: 'Prefix of the IDs of tag streams'
      })
    })
  }),
  accesses: group({
    updates: flag(
      'Serve `accesses.update`, with which apps of 2026 change accesses in place. Updated accesses get a new ID with each version',
      false
    )
  }),
  accessTracking: flag('Record the number of calls and the last use of each access', true),
  ignoreProtectedFieldUpdates: flag('Ignore updates of protected fields instead of refusing them', false),
  shutdownSeconds: amount('Time that running calls have to finish at shutdown, in seconds', 8, 2_000_000)
})
export type Settings = Static<typeof Settings>
