/**
 * `oauth.prove`: verifies and uses up the proof that comes with a bound access token, before the call itself is made.
 * (docs/api/oauth.md#proof-of-possession)
 */
import { Type } from 'typebox'
import { anyone } from '../../auth/allow.js'
import { getPresentedToken } from '../../auth/authenticate.js'
import { getBoundKey } from '../../auth/oauth-marks.js'
import { method } from '../../call/method.js'
import { InvalidProof, proofLifetime, verifyProof, type ValidProof } from '../../oauth/proof.js'

/** Maximum number of proofs of an account that are remembered. */
const maxProofs = 20_000

const Params = Type.Object({})

const nothingProven = { problem: undefined, valid: undefined }

/**
 * Returns the key that the request has proven for its token, or why its proof is not valid; neither for a token that is not
 * bound. Only valid proofs of bound tokens are stored, so that strangers cannot fill the account's file.
 */
export const prove = method<typeof Params, Prepared>({
  id: 'oauth.prove',
  summary: 'Verify the proof of a key',
  params: Params,
  result: Type.Object({ key: Type.Optional(Type.String()), problem: Type.Optional(Type.String()) }),
  mode: 'write',
  isInternal: true,
  worksByAlias: true,
  isAllowedWhileClosing: true,
  mayExceedQuota: true,
  allow: anyone,
  async prepare({ credentials, now, store }) {
    const token = getPresentedToken(credentials)
    const access = token === undefined ? undefined : store.accesses.findByToken(token)
    const boundKey = access && getBoundKey(access)
    if (token === undefined || boundKey === undefined) return nothingProven
    if (!credentials.proof) return { problem: 'The DPoP proof is missing', valid: undefined }
    try {
      const valid = await verifyProof(credentials.proof, now, token)
      return valid.thumbprint === boundKey
        ? { valid, problem: undefined }
        : { problem: 'The DPoP proof is made with another key', valid: undefined }
    } catch (error) {
      if (!(error instanceof InvalidProof)) throw error
      return { problem: error.message, valid: undefined }
    }
  },
  run({ now, store }, _params, { problem, valid }) {
    if (!valid) return problem === undefined ? {} : { problem }
    const use = store.usedProofs.use({ key: valid.key, expires: now + proofLifetime }, now, maxProofs)
    if (use === 'first') return { key: valid.thumbprint }
    return {
      problem:
        use === 'used'
          ? 'The DPoP proof has been used before'
          : 'Too many calls with DPoP proofs in a few minutes: try again later'
    }
  }
})

interface Prepared {
  readonly problem: string | undefined
  readonly valid: ValidProof | undefined
}
