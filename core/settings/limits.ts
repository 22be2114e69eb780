/** Settings of bounds: how much there may be of everything, at a time or in all. */
import { group, seconds, textSize, whole } from './kinds.js'

export const throttle = group({
  failures: whole('Failed sign-ins for an account from an address before attempts have to wait', 10, 1),
  window: whole('Time in which failures count, seconds', 900, 1),
  perAddress: whole('Failed sign-ins from one address, whatever the account', 100, 1),
  perAccount: whole('Failed sign-ins for an account, whatever the address', 100, 1),
  invalidTokens: whole(
    'Missing and unknown tokens, and unknown keys, from one address before such attempts have to wait',
    200,
    1
  )
})

export const limits = group({
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
  callsInFlight: whole('Calls that may be under way or wait in one thread; more are refused (503)', 5000, 1),
  callsPerToken: group({
    personal: whole('Calls that a personal token may make within the window; 0: no limit', 0),
    app: whole('Calls that the token of an app may make within the window; 0: no limit', 0),
    shared: whole('Calls that a shared token may make within the window; 0: no limit', 0),
    window: whole('Time in which the calls of a token are counted, seconds', 60, 1)
  }),
  headersTimeout: seconds('Time for the headers of a request, seconds', 20),
  bodyTimeout: seconds('Time for a JSON body, seconds', 60)
})

export const sockets = group({
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
})

export const uploads = group({
  maxFileBytes: whole('Largest attachment; 0: no limit', 0),
  maxFiles: whole('Files in one request; 0: no limit', 0),
  maxParts: whole('Parts of a form', 10_000, 1),
  minBytesPerSecond: whole('Slowest pace of an upload, bytes a second', 100)
})

export const previews = group({
  cacheMaxAge: whole('Time for which a preview is kept that nobody looks at, seconds', 604_800),
  maxPixels: whole('Pixels of the largest picture that previews are made of', 64_000_000, 1),
  maxFileBytes: whole('Size of the largest file that previews are made of', 64 * 1024 * 1024, 1),
  concurrency: whole('Previews made at a time', 1, 1),
  maxWaiting: whole('Previews that may wait to be made; more are refused', 200)
})

export const deletions = group({
  retention: whole('Time for which records of deletions are kept, seconds; 0: for ever', 31_536_000)
})

export const quota = group({
  bytes: whole('Most that an account may store, documents and attachments together; 0: no limit', 0)
})
