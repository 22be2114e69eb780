/** `oauth.getKeys`: the keys that verify ID tokens. (RFC 7517; docs/api/oauth.md#id-tokens) */
import { Type } from 'typebox'
import { KeyValue, closed, orNull } from '../../../schemas/scalars.js'
import { anyone } from '../../auth/allow.js'
import { serviceMethod } from '../../call/method.js'
import { listPublicKeys } from '../../oauth/keys.js'

/**
 * Returns the key in force, and the previous key while tokens signed with the previous key may be valid. For receipts, all keys that have
 * ever signed: receipts are checked long afterwards. (docs/spec/receipts.md)
 */
export const getKeys = serviceMethod({
  id: 'oauth.getKeys',
  summary: 'Get the keys that verify ID tokens',
  params: Type.Object({ purpose: orNull(Type.Enum(['receipts'])) }, closed),
  result: Type.Object({ keys: Type.Array(KeyValue) }),
  allow: anyone,
  run: ({ now, services }, { purpose }) => listPublicKeys(services, now, purpose === 'receipts')
})
