/** The URLs for operators. (docs/spec/administration.md) */
import { route, type Route } from './route.js'

/** Operators may call these from their page. Responses must not be cached. */
const forOperators = { isForOperators: true, isPrivate: true } as const

export const operatorRoutes: readonly Route[] = [
  route('POST', '/system/create-user', 'system.createUser', 201, { bodyKind: 'declared' }),
  route('POST', '/register/create-user', 'system.createUser', 201, { bodyKind: 'declared' }),
  route('GET', '/system/user-info/:username', 'system.getUserInfo'),
  route('DELETE', '/system/users/:username/mfa', 'system.deactivateMfa', 204, forOperators),
  route('DELETE', '/system/users/:username/passkeys', 'system.deletePasskeys', 204, forOperators),
  route('POST', '/system/users/:username/reset-link', 'system.createResetLink', 201, forOperators),
  route('POST', '/system/users/:username/session', 'system.openSession', 201, { isPrivate: true }),
  route('POST', '/system/users/:username/password', 'system.setPassword', 200, { bodyKind: 'declared' }),
  route('DELETE', '/system/users/:username/wait', 'system.unlockUser', 204, forOperators),
  route('POST', '/system/users/:username/relocation', 'system.relocateUser', 200, { bodyKind: 'declared' }),
  route('DELETE', '/system/users/:username/relocation', 'system.bringBackUser'),
  route('GET', '/system/check-platform-integrity', 'system.checkPlatformIntegrity'),
  route('GET', '/system/operators/:username', 'system.getOperator', 200, { isByOwner: true }),
  route('GET', '/system/overview', 'system.getOverview', 200, forOperators),
  route('GET', '/system/users', 'system.getUsers', 200, forOperators),
  route('GET', '/system/users/:username', 'system.getUser', 200, forOperators),
  route('DELETE', '/system/users/:username', 'users.delete', 200, forOperators),
  route('POST', '/system/users/:username/quota', 'system.limitUser', 200, forOperators),
  route('POST', '/system/users/:username/suspension', 'system.suspendUser', 200, forOperators),
  route('DELETE', '/system/users/:username/suspension', 'system.resumeUser', 200, forOperators),
  route('DELETE', '/system/users/:username/deletion', 'system.keepUser', 200, forOperators),
  route('GET', '/system/accesses/:id', 'system.getAccess', 200, forOperators),
  route(
    'GET',
    '/system/users/:username/accesses/:id/breach-scope',
    'system.getBreachScope',
    200,
    forOperators
  ),
  route('GET', '/system/growth', 'system.getGrowth', 200, forOperators),
  route('GET', '/system/deeds', 'system.getDeeds', 200, forOperators),
  route('GET', '/system/settings', 'system.getSettings', 200, forOperators),
  route('GET', '/system/oauth/clients', 'oauth.getClients', 200, forOperators),
  route('POST', '/system/oauth/clients/:client/revocation', 'oauth.revokeClient', 200, forOperators),
  route(
    'POST',
    '/system/oauth/clients/:client/keys/:kid/revocation',
    'oauth.revokeClientKey',
    200,
    forOperators
  ),
  route(
    'DELETE',
    '/system/oauth/clients/:client/keys/:kid/revocation',
    'oauth.restoreClientKey',
    200,
    forOperators
  ),
  route('GET', '/reg/admin/users', 'admin.getUsers', 200, { responseKind: 'table' }),
  route('GET', '/reg/admin/users/:username', 'admin.getUser'),
  route('GET', '/reg/admin/servers', 'admin.getServers'),
  route('GET', '/reg/admin/servers/:server/users', 'admin.getServerUsers'),
  route('GET', '/reg/admin/invitations', 'admin.getInvitations'),
  route('GET', '/system/invitations', 'admin.getInvitations', 200, forOperators),
  route('GET', '/reg/admin/invitations/post', 'admin.createInvitations'),
  route('POST', '/system/invitations', 'admin.createInvitations', 201, forOperators)
]
