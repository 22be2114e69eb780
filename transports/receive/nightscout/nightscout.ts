/** Nightscout: the API to which Loop, AndroidAPS and xDrip send, and from which followers and watch faces read. Nothing commands a pump. */
import { nightscout as format } from '../../../imports/formats/vendors/nightscout.js'
import type { ConnectionStore, Dialect, DialectAnswer, ReceivedRequest } from '../dialect.js'
import { Library } from './library.js'
import { answerVersion1 } from './version1.js'
import { answerVersion3 } from './version3.js'

/** Seconds for which AndroidAPS uses a token before it asks again. The access decides how long it is valid. */
const tokenSeconds = 8 * 3600

export const nightscout: Dialect = {
  id: 'nightscout',
  name: 'Nightscout',
  format,
  sendsDigest: true,
  // Apps send a thousand documents at most, of a few hundred bytes.
  maxBodyBytes: 5 * 1024 * 1024,
  read: () => ({ records: [], received: 0, notUnderstood: new Map() }),
  answer: () => unknownPath,
  serve: async (request, store, token) => await answerRequest(request, store, token)
}

const unknownPath: DialectAnswer = { status: 404, body: { status: 404, message: 'Not found' } }

/** Answers a request by the version of the API in its path. */
async function answerRequest(
  request: ReceivedRequest,
  store: ConnectionStore,
  token: string
): Promise<DialectAnswer> {
  const [root, version, ...path] = request.path.split('/').filter(segment => segment !== '')
  if (root !== 'api') return unknownPath
  const library = new Library(store)
  if (version === 'v1') return await answerVersion1(request, path, library)
  if (version === 'v3') return await answerVersion3(request, path, library)
  const isAuthorization =
    version === 'v2' && path[0] === 'authorization' && path[1] === 'request' && path.length === 3
  return isAuthorization ? authorize(request, library, token) : unknownPath
}

/** Returns the token of later requests, which is the digest that identifies the connection. */
function authorize({ connection, now }: ReceivedRequest, { canAdd }: Library, token: string): DialectAnswer {
  const issued = Math.floor(now)
  const permissionGroups = [canAdd ? ['*'] : ['*:*:read']]
  const body = { token, sub: connection.name, permissionGroups, iat: issued, exp: issued + tokenSeconds }
  return { status: 200, body }
}
