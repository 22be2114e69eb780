/** Assertions by which a client proves itself with a key instead of a secret. (RFC 7523; docs/api/oauth.md#clients) */
import type { ClientKey } from '../../schemas/oauth.js'
import type { Services } from '../call/services.js'
import { getTokenId, loadJose, proofAlgorithm } from './jose.js'
import { getIssuer, getTokenEndpoints } from './metadata.js'

/** The value of `client_assertion_type`. */
export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** Seconds for which an assertion may be valid from now on, and by which clocks may differ. */
const maxLifetime = 300
const tolerance = 60
/** Maximum number of used assertions and proofs that are remembered. */
const maxRemembered = 100_000
/** Maximum number of used assertions of one client: it must not keep the others out. */
const maxPerClient = 20_000

/** Returns the client that an assertion names, before it has been verified; `undefined` if it names none. */
export function getClaimedClient(assertion: string): string | undefined {
  try {
    const [, claims = ''] = assertion.split('.', 3)
    const { sub } = Object(JSON.parse(Buffer.from(claims, 'base64url').toString())) as { sub?: unknown }
    return typeof sub === 'string' ? sub : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns whether an assertion proves that the client `id` makes this call, with one of its keys, and was not
 * used before. A valid one is used up. Also false if the client uses too many: then it can use the next one after some
 * minutes. `now` in seconds.
 */
export async function useAssertion(
  services: Services,
  assertion: string,
  { id, keys }: { readonly id: string; readonly keys: readonly ClientKey[] },
  now: number
): Promise<boolean> {
  const verified = await verifySignature(services, assertion, { id, keys }, now)
  if (!verified) return false
  const { expires, jti } = verified
  // Until the second is over: the library compares whole ones.
  const use = { key: `assertion ${id} ${jti}`, expires: Math.ceil(expires) + tolerance, client: id }
  return await useOnce(services, use, now)
}

/** A proof or an assertion that a client uses. */
interface Use {
  readonly key: string
  /** Until when it is valid, in seconds. */
  readonly expires: number
  readonly client: string
}

/**
 * Records the use of a proof or an assertion; returns `false` if it was used before, or the client has used too many. All nodes share
 * the record. `now` in seconds.
 */
export async function useOnce(
  { log, platform }: Services,
  { client, expires, key }: Use,
  now: number
): Promise<boolean> {
  const proof = { key, expires, owner: client, share: maxPerClient }
  const use = await platform.change('useOAuthProof', proof, now, maxRemembered)
  if (use === 'full') log.warn('too many OAuth proofs are used: further ones are refused for some minutes')
  return use === 'first'
}

/**
 * Returns the id of an assertion, and until when it is valid, in seconds; `undefined` if anything in it is
 * wrong.
 */
async function verifySignature(
  { config }: Pick<Services, 'config'>,
  assertion: string,
  { id, keys }: { readonly id: string; readonly keys: readonly ClientKey[] },
  now: number
): Promise<{ readonly jti: string; readonly expires: number } | undefined> {
  const { importJWK, jwtVerify } = await loadJose()
  try {
    const { payload } = await jwtVerify(
      assertion,
      async ({ kid, typ }) => {
        const known = keys.find(each => each.kid === kid)
        if (!known || typ === 'dpop+jwt') throw new Error('unknown key')
        const { crv, kty, x, y } = known
        return await importJWK({ crv, kty, x, y }, proofAlgorithm)
      },
      {
        algorithms: [proofAlgorithm],
        issuer: id,
        subject: id,
        audience: [getIssuer(config), ...getTokenEndpoints(config)],
        requiredClaims: ['exp'],
        clockTolerance: tolerance,
        currentDate: new Date(now * 1000)
      }
    )
    const jti = getTokenId(payload)
    const { aud, exp = Infinity } = payload
    // With several audiences, another one of them could use the assertion here.
    const isForUs = typeof aud === 'string' || aud?.length === 1
    return jti !== undefined && isForUs && exp <= now + maxLifetime + tolerance
      ? { jti, expires: exp }
      : undefined
  } catch {
    return undefined
  }
}
