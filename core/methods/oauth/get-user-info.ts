/**
 * `oauth.getUserInfo`: who has signed in, for apps with the scope. (OpenID Connect Core, 5.3;
 * docs/api/oauth.md#user-info)
 */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { getConfirmedAddress, getCurrentAddress, isSameAddress } from '../../account/email/address.js'
import { appOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { failOAuth } from '../../oauth/errors.js'
import { getIdentityScopes } from '../../oauth/token-grants.js'

/**
 * Returns the id of the account and, by `profile` and `email`, its user name and address. Throws
 * `insufficient_scope` without the scope `openid`.
 */
export const getUserInfo = method({
  id: 'oauth.getUserInfo',
  summary: 'Get the signed-in user',
  params: Type.Object({}, closed),
  result: Type.Object({
    sub: Type.String(),
    preferred_username: Type.Optional(Type.String()),
    email: Type.Optional(Type.String()),
    email_verified: Type.Optional(Type.Boolean())
  }),
  mode: 'read',
  allow: appOnly,
  run({ account, caller, store }) {
    const scopes = caller.access ? getIdentityScopes(store, caller.access) : new Set()
    if (!scopes.has('openid'))
      failOAuth('insufficient_scope', 'The scope openid is required', caller.accessId)
    const address = scopes.has('email') ? getCurrentAddress(store) : undefined
    return {
      sub: account.id,
      ...(scopes.has('profile') && { preferred_username: account.username }),
      ...(address !== undefined && {
        email: address,
        email_verified: isSameAddress(address, getConfirmedAddress(store))
      })
    }
  }
})
