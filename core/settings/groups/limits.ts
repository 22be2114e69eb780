/** Settings of limits: how much of everything is allowed, at a time or in total. */
import { group, seconds, textSize, integer } from '../kinds.js'

export const throttle = group({
  failures: integer(
    'Failed sign-ins to an account from one IP address before further attempts must wait',
    10,
    1
  ),
  window: integer('Time window in which failures are counted, in seconds', 900, 1),
  perAddress: integer(
    'Failed sign-ins from one IP address to any account before further attempts must wait',
    100,
    1
  ),
  perAccount: integer(
    'Failed sign-ins to an account from any IP address before further attempts must wait',
    100,
    1
  ),
  invalidTokens: integer(
    'Calls with missing or unknown tokens or keys from one IP address before further attempts must wait',
    200,
    1
  )
})

export const limits = group({
  bodyBytes: textSize(
    'Maximum size of a JSON body after decompression, in bytes. Also the maximum size of the client data of an event, in characters',
    10 * 1024 * 1024
  ),
  clientDataBytes: textSize(
    'Maximum size of a profile set, and of the client data of a stream or an access, in characters',
    1024 * 1024
  ),
  streamsBytes: textSize(
    'Maximum total size of the streams of an account, in characters. They are held in memory while the account is in use',
    8 * 1024 * 1024
  ),
  bodiesBytes: integer(
    'Maximum total size of JSON bodies over 16 KB processed at a time, in bytes. One account can use a quarter. Calls without a valid token share a separate quarter. Further bodies wait',
    64 * 1024 * 1024,
    1024
  ),
  jsonDepth: integer('Maximum nesting depth of JSON', 100, 1, 1000),
  jsonKeys: integer('Maximum number of keys in a JSON object', 20_000, 1),
  jsonContainers: integer('Maximum number of objects and arrays in the JSON of one call', 200_000, 1),
  batchCalls: integer('Maximum number of calls in a batch', 10_000, 1),
  batchResultItems: integer(
    'Maximum number of items in a list result in a batch or over a socket',
    100_000,
    1
  ),
  batchResultBytes: textSize('Maximum total size of the results of a batch, in bytes', 64 * 1024 * 1024),
  spoolBytes: integer(
    'Maximum total size of results spooled to disk until clients read them, in bytes: batch results, and texts over 1 MB',
    1024 ** 3,
    1024 * 1024
  ),
  longAnswers: integer(
    'Maximum number of responses over 64 KB sent at a time. Others wait briefly and are then refused (503)',
    300,
    1
  ),
  longAnswersPerAccess: integer(
    'Maximum number of responses over 64 KB sent at a time for one access (429). All accesses of an account together can have five times as many',
    20,
    1
  ),
  stalledSeconds: seconds(
    'Time after which a connection is closed if the client reads nothing of a response, in seconds',
    60
  ),
  minBytesPerSecond: integer(
    'Minimum rate at which a client must read a response, in bytes per second, measured over ten times `stalledSeconds`',
    500
  ),
  queryIds: integer('Maximum number of IDs in a streams query', 1000, 1),
  queryConditions: integer('Maximum number of content conditions in a query', 20, 1),
  streamDepth: integer('Maximum nesting depth of streams', 100, 1),
  connections: integer('Maximum number of connections at a time', 8000, 1),
  connectionsPerAddress: integer(
    'Maximum number of connections at a time from one IP address or IPv6 /64 network, except loopback and trusted proxies. 0: a quarter of `connections`',
    0
  ),
  callsInFlight: integer(
    'Maximum number of running and waiting calls in one thread. Further calls are refused (503)',
    5000,
    1
  ),
  callsPerToken: group({
    personal: integer('Maximum number of calls of a personal token within the window. 0: no limit', 0),
    app: integer('Maximum number of calls of an app token within the window. 0: no limit', 0),
    shared: integer('Maximum number of calls of a shared token within the window. 0: no limit', 0),
    window: integer('Time window in which the calls of a token are counted, in seconds', 60, 1)
  }),
  headersTimeout: seconds('Time in which the headers of a request must arrive, in seconds', 20),
  bodyTimeout: seconds('Time in which a JSON body must arrive, in seconds', 60)
})

export const sockets = group({
  maxPerUser: integer('Maximum number of open sockets per user', 1000, 1),
  callsPerSecond: integer('Maximum number of calls per second on one socket. Further calls wait', 2000, 1),
  maxInFlight: integer(
    'Maximum number of unanswered calls on one socket. Further calls are refused',
    1000,
    1
  ),
  maxPendingBytes: integer(
    'Maximum total size of the unanswered messages of a connection, in bytes. Further messages are read later',
    256 * 1024,
    1024
  ),
  maxBufferedBytes: integer(
    'Maximum total size of responses waiting to be sent and of large calls waiting to run, in bytes. One account can use half, one access a quarter, and each always one response of the maximum size',
    256 * 1024 * 1024,
    1024
  ),
  namespaceTimeout: seconds(
    'Time in which a connection must join a namespace with a token, also after leaving its last one, in seconds',
    20
  ),
  maxSubscriptions: integer('Maximum number of scoped subscriptions of one socket or webhook', 100, 1)
})

export const uploads = group({
  maxFileBytes: integer('Maximum size of an attachment, in bytes. 0: no limit', 0),
  maxFiles: integer('Maximum number of files in one request. 0: no limit', 0),
  maxFilesPerEvent: integer('Maximum number of files of one event. 0: no limit', 2000),
  maxParts: integer('Maximum number of parts in a form', 10_000, 1),
  minBytesPerSecond: integer('Minimum rate of an upload, in bytes per second', 100)
})

export const previews = group({
  cacheMaxAge: integer('Time that an unused preview is kept, in seconds', 604_800),
  maxPixels: integer('Maximum number of pixels of an image that previews are made of', 64_000_000, 1),
  maxFileBytes: integer('Maximum size of a file that previews are made of, in bytes', 64 * 1024 * 1024, 1),
  maxMemory: integer(
    'Maximum memory for decoding an image, in bytes. Decoding runs in a separate process that itself uses about 70 MB',
    512 * 1024 * 1024,
    128 * 1024 * 1024
  ),
  concurrency: integer('Maximum number of previews made at a time, at most one per user', 1, 1),
  maxWaiting: integer(
    'Maximum number of previews waiting to be made. Further requests are refused, except one of each user',
    200
  )
})

export const deletions = group({
  retention: integer('Time that records of deletions are kept, in seconds. 0: no limit', 31_536_000)
})

export const imports = group({
  maxWaiting: integer(
    'Time that an uploaded file is kept if its import is not completed, in seconds. 0: no limit',
    2_592_000
  )
})

export const quota = group({
  bytes: integer(
    'Storage limit of an account for documents and attachments together, in bytes. 0: no limit',
    0
  )
})
