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
  seconds,
  severity,
  streams,
  text,
  textSize,
  upTo,
  whole
} from './kinds.js'
import type { TextFormName } from './text-forms.js'

/** What a record of the audit tells, and the id of its account. */
const auditFieldNames =
  'userid type time streamIds streamId content created createdBy modified modifiedBy'.split(' ')

/** Earlier passwords of which hashes are kept, rule or no rule. */
export const passwordsKept = 24

const EmailSwitches = Type.Object(
  { welcome: Type.Boolean(), resetPassword: Type.Boolean() },
  { additionalProperties: false }
)

const endpoint = (what: string) =>
  group({
    url: formed('messageUrl', `${what}: URL; empty: none`),
    method: Type.Enum(['POST', 'GET'], { default: 'POST', description: `${what}: HTTP method` }),
    body: text(`${what}: body`, ''),
    headers: Type.Record(Type.String({ pattern: headerName }), Type.String({ pattern: '^[\\t -~]*$' }), {
      default: {},
      description: `${what}: headers`
    })
  })
export type Endpoint = Static<ReturnType<typeof endpoint>>

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
  services: group({
    email: group({
      enabled: Type.Union([Type.Boolean(), EmailSwitches], {
        default: true,
        description:
          'Which mails are sent: true all, false none, or {"welcome": …, "resetPassword": …} (with those about a changed address)'
      }),
      from: Type.String({
        default: '',
        pattern: '^(?:[^\\s@<>()\\[\\],;:"\\\\]+@[^\\s@<>()\\[\\],;:"\\\\]+)?$',
        description: 'Sender: an address; empty: no-reply at the host of the public URL'
      }),
      defaultLang: Type.String({
        default: 'en',
        pattern: '^[A-Za-z]{2,3}(?:[_-][A-Za-z0-9]{2,3})?$',
        description: 'Language of mails to those in whose language there are none'
      }),
      templatesDir: path(
        'Folder of mails of your own: {template}/{language}/subject.txt, text.txt, html.html; empty: those of mail/',
        ''
      ),
      welcomeTemplate: path('Template of the mail to new users', 'welcome-email'),
      resetPasswordTemplate: path(
        'Template of the mail with the link that resets a password',
        'reset-password'
      ),
      timeoutMs: milliseconds('Time for handing over a mail', 30_000),
      smtp: group({
        host: formed('host', 'Mail server; empty: none, then links of mails go to the log'),
        port: Type.Integer({
          default: 587,
          minimum: 1,
          maximum: 65535,
          description: 'Port of the mail server'
        }),
        encryption: Type.Enum(['auto', 'starttls', 'tls'], {
          default: 'auto',
          description:
            'auto: STARTTLS where the server offers it; starttls: not without it; tls: from the first byte'
        }),
        user: text('User name at the mail server; empty: no sign-in', ''),
        password: text('Password at the mail server', '')
      }),
      http: group({
        url: formed(
          'webUrl',
          'Mailer over HTTP, to be used instead: POST {url}{template}/{language}; empty: none'
        ),
        key: text('Key that the mailer over HTTP wants', '')
      })
    }),
    mfa: group({
      mode: Type.Enum(['disabled', 'challenge-verify', 'single'], {
        default: 'disabled',
        description:
          'Messages with codes: disabled, none; challenge-verify, a messaging service makes and checks them; single, it sends those made here'
      }),
      pendingWith200: flag(
        'Answer sign-ins that wait for a code by 200 instead of 302, which some clients (`pryv` 3) take for a failure',
        false
      ),
      maxFailures: whole('Wrong codes of a user before attempts have to wait', 5, 1),
      maxMessages: whole('Messages with codes to a user before further ones have to wait', 10, 1),
      timeoutMs: milliseconds('Time for a call of the messaging service', 10_000),
      allowInternalTargets: flag('Allow a messaging service at an internal address', false),
      sessions: group({
        ttlSeconds: whole(
          'Time for giving a code, after the password or after asking for a second factor',
          1800,
          1
        )
      }),
      sms: group({
        endpoints: group({
          challenge: endpoint('Call that has a code sent (challenge-verify)'),
          verify: endpoint('Call that checks a code (challenge-verify)'),
          single: endpoint('Call that sends a code (single)')
        })
      })
    })
  }),
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
  throttle: group({
    failures: whole('Failed sign-ins for an account from an address before attempts have to wait', 10, 1),
    window: whole('Time in which failures count, seconds', 900, 1),
    perAddress: whole('Failed sign-ins from one address, whatever the account', 100, 1),
    perAccount: whole('Failed sign-ins for an account, whatever the address', 100, 1),
    invalidTokens: whole(
      'Missing and unknown tokens, and unknown keys, from one address before such attempts have to wait',
      200,
      1
    )
  }),
  limits: group({
    bodyBytes: textSize(
      'Largest JSON body, after inflating; client data and profile sets may add up to as many characters',
      10 * 1024 * 1024
    ),
    bodiesBytes: whole(
      'Size of all JSON bodies of more than 16 KB that are read or worked on at a time; those of one account may take a quarter, and strangers have a quarter as much of their own. Others wait unread',
      64 * 1024 * 1024,
      1024
    ),
    jsonDepth: whole('Deepest nesting of JSON', 100, 1, 1000),
    jsonKeys: whole('Keys of one object in JSON', 20_000, 1),
    jsonContainers: whole('Objects and arrays in the JSON of one call', 200_000, 1),
    batchCalls: whole('Calls in a batch', 10_000, 1),
    batchResultItems: whole('Items that a list may have in a batch or over a socket', 100_000, 1),
    batchResultBytes: textSize('Size of all results of a batch', 64 * 1024 * 1024),
    spoolBytes: whole(
      'Size of all that waits on disk to be taken by clients: results of batches, texts of more than a megabyte',
      1024 ** 3,
      1024 * 1024
    ),
    longAnswers: whole(
      'Answers of more than 64 KB that clients are taking at a time; others wait a little, then are refused (503)',
      300,
      1
    ),
    longAnswersPerAccess: whole(
      'The same for one access (429); those of one account may have five times as many together',
      20,
      1
    ),
    stalledSeconds: seconds(
      'Time for which a client may take nothing of an answer before it is cut, seconds',
      60
    ),
    minBytesPerSecond: whole(
      'Slowest pace at which an answer may be taken, bytes a second, over ten times `stalledSeconds`',
      500
    ),
    queryIds: whole('Ids in a streams query', 1000, 1),
    queryConditions: whole('Conditions on contents in a query', 20, 1),
    streamDepth: whole('Deepest nesting of streams', 100, 1),
    connections: whole('Connections at a time', 10_000, 1),
    connectionsPerAddress: whole(
      'Connections at a time from one address, or one /64 of IPv6; loopback and trusted proxies excepted; 0: a quarter of all',
      0
    ),
    callsInFlight: whole(
      'Calls that may be under way or wait in one thread; more are refused (503)',
      5000,
      1
    ),
    callsPerToken: group({
      personal: whole('Calls that a personal token may make within the window; 0: no limit', 0),
      app: whole('Calls that the token of an app may make within the window; 0: no limit', 0),
      shared: whole('Calls that a shared token may make within the window; 0: no limit', 0),
      window: whole('Time in which the calls of a token are counted, seconds', 60, 1)
    }),
    headersTimeout: seconds('Time for the headers of a request, seconds', 20),
    bodyTimeout: seconds('Time for a JSON body, seconds', 60)
  }),
  sockets: group({
    maxPerUser: whole('Open sockets of one user', 1000, 1),
    callsPerSecond: whole('Calls of one socket that are made in a second; more have to wait', 2000, 1),
    maxInFlight: whole('Calls that a socket may have sent without being answered; more are refused', 1000, 1),
    maxPendingBytes: whole(
      'Size of what a connection may have sent without being answered; more is read later',
      256 * 1024,
      1024
    ),
    maxBufferedBytes: whole(
      'Size of all answers that wait to be taken, and large calls that arrive or wait; half of it for one account, a quarter for one access, but room for one largest answer',
      256 * 1024 * 1024,
      1024
    ),
    namespaceTimeout: seconds(
      'Time in which a connection has to show a token, also after it has left the last namespace, seconds',
      20
    ),
    maxSubscriptions: whole('Scoped subscriptions of one socket or webhook', 100, 1)
  }),
  uploads: group({
    maxFileBytes: whole('Largest attachment; 0: no limit', 0),
    maxFiles: whole('Files in one request; 0: no limit', 0),
    maxParts: whole('Parts of a form', 10_000, 1),
    minBytesPerSecond: whole('Slowest pace of an upload, bytes a second', 100)
  }),
  previews: group({
    cacheMaxAge: whole('Time for which a preview is kept that nobody looks at, seconds', 604_800),
    maxPixels: whole('Pixels of the largest picture that previews are made of', 64_000_000, 1),
    maxFileBytes: whole('Size of the largest file that previews are made of', 64 * 1024 * 1024, 1),
    concurrency: whole('Previews made at a time', 1, 1),
    maxWaiting: whole('Previews that may wait to be made; more are refused', 200)
  }),
  deletions: group({
    retention: whole('Time for which records of deletions are kept, seconds; 0: for ever', 31_536_000)
  }),
  quota: group({
    bytes: whole('Most that an account may store, documents and attachments together; 0: no limit', 0)
  }),
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
  audit: group({
    active: flag('Record each call', true),
    retention: whole('Time for which records of calls are kept, seconds; 0: for ever', 31_536_000),
    strangersPerHour: whole(
      'Calls on an account without a valid token that are recorded in an hour; further ones are only counted',
      100
    ),
    brand: Type.String({
      default: 'coffer',
      pattern: '^[a-z0-9-]+$',
      description:
        'Name of the platform in the types of audit events, `audit-log/{brand}-api` and `…-api-error`'
    }),
    storage: group({
      filter: group({
        methods: group({
          include: list('Methods to record: ids, `{resource}.all`, or `all`', ['all']),
          exclude: list('Methods not to record, of those', [])
        })
      })
    }),
    syslog: group({
      host: formed('host', 'Host of a syslog that is told of each call, over UDP; empty: none'),
      port: Type.Integer({ default: 514, minimum: 1, maximum: 65535, description: 'Port of the syslog' }),
      appName: text('Name of the application in its messages', 'coffer'),
      facility: upTo('Number of the facility in its messages (13: audit)', 13, 23),
      level: severity('Severity of a call', 'notice'),
      errorLevel: severity('Severity of a call that was refused', 'warning'),
      template: Type.String({
        default: '{userid} {type} createdBy:{createdBy} {streamIds} {content}',
        pattern: `^([^{}]|\\{(${auditFieldNames.join('|')})(\\.\\w+)*\\})*$`,
        description:
          'Text of its messages: with fields of records, such as `{content}` or `{content.source.ip}`'
      }),
      filter: group({
        methods: group({
          include: list('Methods to tell the syslog of, as for records', ['all']),
          exclude: list('Methods not to tell it of, of those', [])
        })
      })
    })
  }),
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
