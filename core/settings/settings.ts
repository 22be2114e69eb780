/**
 * Every setting: its name, type, default and meaning. The types, the configuration reference, `--help` and the names of
 * environment variables come from here. Times are seconds unless a name ends in `Ms`; sizes are bytes.
 */
import { Type, type Static } from 'typebox'
import { App } from '../../schemas/app.js'
import {
  amount,
  flag,
  formed,
  group,
  headerName,
  list,
  milliseconds,
  path,
  streams,
  text,
  upTo,
  whole
} from './kinds.js'
import { audit } from './audit.js'
import { deletions, limits, previews, quota, sockets, throttle, uploads } from './limits.js'
import { services } from './services.js'
import type { TextFormName } from './text-forms.js'

/** What a record of the audit tells, and the id of its account. */
/** Earlier passwords of which hashes are kept, rule or no rule. */
export const passwordsKept = 24

export const Settings = group({
  host: formed('host', 'Address to listen on', '127.0.0.1'),
  port: Type.Integer({
    default: 3000,
    minimum: 0,
    maximum: 65535,
    description: 'Port to listen on; 0 takes any free one'
  }),
  dataDir: path('Folder that holds everything: owned by one process at a time', './data'),
  workers: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 64,
    description: "Threads that share the users' files; 0: none, everything runs in the main one"
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
    description: 'Key of the system and admin routes, long and random; empty: they are closed'
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
    eventTypes: formed(
      'sourceUrl',
      'URL or file:// URL of event types that extend the built-in directory; empty: none'
    ),
    hosting: text('Name of the one hosting', 'default')
  }),
  auth: group({
    trustedApps: text(
      "Comma-separated appId@origin pairs, `*` as wildcard, besides the own pages; empty: any app id from the service's host or https://*.{domain}",
      ''
    ),
    sessionMaxAge: whole('Life of a personal session after its last use, seconds', 1_209_600, 1),
    authorizationStep: path(
      'Path of a module whose default export decides on every call with a token; empty: none',
      ''
    ),
    ssoCookieDomain: Type.String({
      default: '',
      pattern: '^[A-Za-z0-9.-]*$',
      description: 'Domain of the `sso` cookie; empty: the host that answers'
    }),
    passwordComplexityMinLength: upTo('Fewest characters of a new password; 0: no rule', 0, 100),
    passwordComplexityMinCharCategories: upTo(
      'Fewest kinds of characters in a new password, of lower case, upper case, digits and others; 0: no rule',
      0,
      4
    ),
    passwordAgeMaxDays: whole('Days after which a password cannot be signed in with any more; 0: no rule', 0),
    passwordAgeMinDays: whole('Days that a password has to last before it can be replaced; 0: no rule', 0),
    passwordPreventReuseHistoryLength: upTo(
      'Latest passwords, the one in force among them, that a new one must differ from; 0: no rule',
      0,
      passwordsKept
    ),
    passwordResetMaxAge: whole('Life of a link that resets a password, seconds', 3600, 1),
    passwordResetPageURL: formed(
      'webUrl',
      'Page that sets a new password, by the `resetToken` of its query; empty: {publicUrl}/access/reset-password.html'
    )
  }),
  services,
  access: group({
    defaultAuthUrl: Type.String({
      default: '',
      pattern: '^(https?://[^\\s?#@]+(\\?[^\\s#]*)?)?$',
      form: 'webUrl' satisfies TextFormName,
      description:
        "Page on which users decide what apps ask for; empty: the service's own, access/access.html"
    }),
    trustedAuthUrls: Type.Array(Type.String({ pattern: '^https?://[^\\s?#@]+$', form: 'webUrl' }), {
      default: [],
      description: 'Further such pages that apps may ask for; also all that is below these URLs'
    }),
    returnSchemes: Type.Array(Type.String({ pattern: '^[A-Za-z][A-Za-z0-9+.-]*$' }), {
      default: [],
      description: 'Schemes, beside http and https, of URLs that users may be sent back to'
    }),
    apps: Type.Array(App, {
      default: [],
      description:
        'Apps that the platform presents, each with an id and what else is known of it, such as its returnURLs'
    }),
    parameterPrefix: Type.String({
      default: 'prYv',
      pattern: '^[A-Za-z0-9_-]*$',
      description: 'Prefix of the parameters with which users are sent back'
    }),
    maxRequests: whole(
      'Requests of apps that are kept at a time; beyond it the oldest are forgotten',
      10_000,
      1
    ),
    maxRequestBytes: whole('Largest request of an app', 64 * 1024, 1024),
    maxRequestsPerHour: whole('Requests of apps an hour from one address, loopback excepted', 1000, 1)
  }),
  userAccount: group({
    delete: Type.Array(Type.Enum(['adminToken', 'personalToken']), {
      default: ['adminToken'],
      description: 'Who may delete an account: holders of the admin key, of a personal token of the account'
    })
  }),
  registration: group({
    invitationTokens: Type.Union([Type.Null(), Type.Array(Type.String({ minLength: 5, maxLength: 99 }))], {
      default: null,
      description:
        'Who may register: null everybody; [] nobody, not even the invited; otherwise holders of one of these tokens, or of an invitation'
    }),
    emailLookup: flag(
      'Tell anybody the user name behind an e-mail address; without it the pages take user names only',
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
  quota,
  integrity: group({
    algorithm: Type.Enum(['sha256', 'sha512', 'sha1', 'md5'], {
      default: 'sha256',
      description: 'Digest of integrity values'
    }),
    isActive: group({
      events: flag('Give events integrity values', true),
      accesses: flag('Give accesses integrity values', true),
      attachments: flag('Give attachments integrity values', true)
    })
  }),
  audit,
  webhooks: group({
    minIntervalMs: whole(
      'Time between two calls of a webhook; also the unit by which retries wait longer',
      5000
    ),
    maxRetries: whole('Failed calls in a row after which a webhook becomes inactive', 5, 1),
    runsSize: whole('Calls that are remembered of each webhook', 20, 1),
    maxPerUser: whole('Webhooks of one user', 100, 1),
    timeoutMs: milliseconds('Time for a call, from looking up its host to the end of the answer', 10_000),
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
    maxOpenUsers: whole('Users whose files are open at the same time', 500, 1),
    idleSeconds: whole('Time without use after which a file is closed, seconds', 60, 1),
    cacheKiB: whole('Page cache of each open file, KiB', 1024, 64, 2 ** 31 - 1)
  }),
  hf: group({
    port: Type.Union([Type.Null(), Type.Integer({ minimum: 0, maximum: 65535 })], {
      default: null,
      description:
        'Port of its own for high-frequency series, which the main port serves too; null: none, 0: any free one'
    })
  }),
  metrics: group({
    port: Type.Union([Type.Null(), Type.Integer({ minimum: 0, maximum: 65535 })], {
      default: null,
      description:
        'Port of its own for /metrics, without a key; null: on the main port, for whoever has the adminKey; 0: any free one'
    })
  }),
  http: group({
    trustedProxies: Type.Array(Type.String({ form: 'range', minLength: 1 }), {
      default: [],
      description: 'Addresses or ranges of proxies whose X-Forwarded-For is believed'
    })
  }),
  log: group({
    level: Type.Enum(['debug', 'info', 'warn', 'error', 'silent'], {
      default: 'info',
      description: 'Least severity that is logged'
    }),
    requests: flag('Log a line for each call: method, status, duration, access; at level info', false)
  }),
  custom: group({
    systemStreams: group({
      account: streams('Fields that accounts have beside the built-in ones, as definitions of streams'),
      other: streams('Further streams of the service that every account has, as definitions')
    })
  }),
  backwardCompatibility: group({
    systemStreams: group({
      prefix: group({
        isActive: flag('Show and take ids of system streams in their older form, `.email`', false)
      })
    }),
    tags: group({
      isActive: flag('Serve tags, by streams that stand for them; settle it before there are events', true),
      rootStreamId: Type.String({
        default: 'tags-migrated',
        minLength: 1,
        description: 'Stream below which the streams of tags are created'
      }),
      streamIdPrefix: Type.String({
        default: 'tag-migrated-',
        minLength: 1,
        description: 'What ids of the streams of tags begin with'
      })
    })
  }),
  accessTracking: flag('Count calls and last use of each access', true),
  ignoreProtectedFieldUpdates: flag('Ignore updates of protected fields instead of refusing them', false),
  shutdownSeconds: amount('Time for ending what is in flight at a stop, seconds', 8, 2_000_000)
})
export type Settings = Static<typeof Settings>
