/** Settings of limits: how much of everything is allowed, at a time or in total. */
import { group, seconds, textSize, whole } from './kinds.js'

export const throttle = group({
  failures: whole('Failed sign-ins to an account from one address before attempts have to wait', 10, 1),
  window: whole('Time in which failures count, seconds', 900, 1),
  perAddress: whole('Failed sign-ins from one address, whatever the account', 100, 1),
  perAccount: whole('Failed sign-ins to an account, whatever the address', 100, 1),
  invalidTokens: whole(
    'Missing and unknown tokens, and unknown keys, from one address before such attempts have to wait',
    200,
    1
  )
})

export const limits = group({
  bodyBytes: textSize(
    'Largest JSON body, after decompression; also the limit of client data of an event, in characters',
    10 * 1024 * 1024
  ),
  clientDataBytes: textSize(
    'Largest profile set, and client data of a stream or an access, in characters: they are read and written as a whole',
    1024 * 1024
  ),
  streamsBytes: textSize(
    'Size of all streams of an account together, in characters: all of them are in memory while it is in use',
    32 * 1024 * 1024
  ),
  bodiesBytes: whole(
    'Total size of JSON bodies over 16 KB that are read or processed at a time; one account may take a quarter of it. Calls without a valid token have a separate quarter. Further bodies wait unread',
    64 * 1024 * 1024,
    1024
  ),
  jsonDepth: whole('Deepest nesting of JSON', 100, 1, 1000),
  jsonKeys: whole('Keys of one object in JSON', 20_000, 1),
  jsonContainers: whole('Objects and arrays in the JSON of one call', 200_000, 1),
  batchCalls: whole('Calls in a batch', 10_000, 1),
  batchResultItems: whole('Items that a list result may have in a batch or over a socket', 100_000, 1),
  batchResultBytes: textSize('Size of all results of a batch', 64 * 1024 * 1024),
  spoolBytes: whole(
    'Total size of results spooled to disk until clients read them: results of batches, texts over a megabyte',
    1024 ** 3,
    1024 * 1024
  ),
  longAnswers: whole(
    'Responses over 64 KB that are being sent at a time; others wait a little, then are refused (503)',
    300,
    1
  ),
  longAnswersPerAccess: whole(
    'The same for one access (429); all accesses of an account together may have five times as many',
    20,
    1
  ),
  stalledSeconds: seconds(
    'Time for which a client may read nothing of a response before the connection is closed, seconds',
    60
  ),
  minBytesPerSecond: whole(
    'Lowest rate at which a client may read a response, bytes a second, measured over ten times `stalledSeconds`',
    500
  ),
  queryIds: whole('Ids in a streams query', 1000, 1),
  queryConditions: whole('Conditions on contents in a query', 20, 1),
  streamDepth: whole('Deepest nesting of streams', 100, 1),
  connections: whole('Connections at a time', 10_000, 1),
  connectionsPerAddress: whole(
    'Connections at a time from one address, or one IPv6 /64; loopback and trusted proxies excepted; 0: a quarter of all',
    0
  ),
  callsInFlight: whole('Calls that may run or wait in one thread; more are refused (503)', 5000, 1),
  callsPerToken: group({
    personal: whole('Calls that a personal token may make within the window; 0: no limit', 0),
    app: whole('Calls that the token of an app may make within the window; 0: no limit', 0),
    shared: whole('Calls that a shared token may make within the window; 0: no limit', 0),
    window: whole('Time in which the calls of a token are counted, seconds', 60, 1)
  }),
  headersTimeout: seconds('Time in which the headers of a request have to arrive, seconds', 20),
  bodyTimeout: seconds('Time in which a JSON body has to arrive, seconds', 60)
})

export const sockets = group({
  maxPerUser: whole('Open sockets of one user', 1000, 1),
  callsPerSecond: whole('Calls of one socket that are run in a second; more have to wait', 2000, 1),
  maxInFlight: whole('Unanswered calls that a socket may have; more are refused', 1000, 1),
  maxPendingBytes: whole(
    'Size of the unanswered messages of a connection; more is read later',
    256 * 1024,
    1024
  ),
  maxBufferedBytes: whole(
    'Total size of responses waiting to be sent, and of large calls that arrive or wait; one account may take half of it, one access a quarter, but always one response of the largest size',
    256 * 1024 * 1024,
    1024
  ),
  namespaceTimeout: seconds(
    'Time in which a connection has to join a namespace with a token, also after leaving its last one, seconds',
    20
  ),
  maxSubscriptions: whole('Scoped subscriptions of one socket or webhook', 100, 1)
})

export const uploads = group({
  maxFileBytes: whole('Largest attachment; 0: no limit', 0),
  maxFiles: whole('Files in one request; 0: no limit', 0),
  maxFilesPerEvent: whole('Files of one event, which are read and written together; 0: no limit', 2000),
  maxParts: whole('Parts of a form', 10_000, 1),
  minBytesPerSecond: whole('Lowest rate of an upload, bytes a second', 100)
})

export const previews = group({
  cacheMaxAge: whole('Time for which a preview is kept that nobody looks at, seconds', 604_800),
  maxPixels: whole('Pixels of the largest picture that previews are made of', 64_000_000, 1),
  maxFileBytes: whole('Size of the largest file that previews are made of', 64 * 1024 * 1024, 1),
  maxMemory: whole(
    'Memory that decoding a picture may take, bytes; it is done in a process of its own, which takes some 70 MB',
    512 * 1024 * 1024,
    128 * 1024 * 1024
  ),
  concurrency: whole('Previews made at a time, one of each user', 1, 1),
  maxWaiting: whole('Previews that may wait to be made; more are refused', 200)
})

export const deletions = group({
  retention: whole('Time for which records of deletions are kept, seconds; 0: forever', 31_536_000)
})

export const imports = group({
  maxWaiting: whole(
    'Time for which a file with data from elsewhere is kept that is not written, seconds; 0: forever',
    2_592_000
  )
})

export const quota = group({
  bytes: whole('Storage limit of an account, documents and attachments together; 0: no limit', 0)
})
