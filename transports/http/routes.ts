/** The table of all URLs: verb, path, method, and the status of success if it is not 200. (docs/spec/README.md#contents) */

import { operatorRoutes } from './operator-routes.js'
import { route, type Route } from './route.js'
import type { Endpoints } from '../../core/call/services.js'

/** High-frequency series; also served on a port of their own, if the settings configure that. */
export const seriesRoutes: readonly Route[] = [
  route('GET', '/events/:id/series', 'hfs.get'),
  route('POST', '/events/:id/series', 'hfs.add', 200, { bodyKind: 'object' }),
  route('DELETE', '/events/:id/series', 'hfs.deletePoints'),
  route('POST', '/series/batch', 'hfs.addBatch', 201, { bodyKind: 'object' })
]

/** Below `/{username}`, or at the root of the user's own host name. */
export const userRoutes: readonly Route[] = [
  route('POST', '/', 'callBatch'),
  route('GET', '/access-info', 'getAccessInfo'),
  route('GET', '/service/info', 'service.info'),
  route('GET', '/service/infos', 'service.info'),

  route('POST', '/auth/login', 'auth.login', 200, { cookie: 'set' }),
  route('POST', '/auth/logout', 'auth.logout', 200, { cookie: 'clear' }),
  route('POST', '/auth/identity', 'auth.loginByIdentity', 200, { cookie: 'set', isPrivate: true }),

  route('POST', '/mfa/activate', 'mfa.activate', 302, { isPrivate: true }),
  route('POST', '/mfa/confirm', 'mfa.confirm', 200, { isPrivate: true }),
  route('POST', '/mfa/challenge', 'mfa.challenge'),
  route('POST', '/mfa/verify', 'mfa.verify', 200, { cookie: 'set', isPrivate: true }),
  route('POST', '/mfa/deactivate', 'mfa.deactivate'),
  route('POST', '/mfa/recover', 'mfa.recover'),

  // For OAuth clients that send JSON; the protocol's own forms are served below `/oauth` at the root of the server.
  route('POST', '/oauth/token', 'oauth.token', 200, { isPrivate: true }),
  route('POST', '/oauth/revoke', 'oauth.revoke', 200, { isPrivate: true }),
  route('POST', '/oauth/introspect', 'oauth.introspect', 200, { isPrivate: true }),
  route('GET', '/oauth/userinfo', 'oauth.getUserInfo', 200, { isPrivate: true }),
  route('POST', '/oauth/offer', 'oauth.readOffer', 200, { isPrivate: true }),
  route('POST', '/oauth/offer/acceptance', 'oauth.acceptOffer', 200, { isPrivate: true }),

  route('GET', '/passkeys', 'passkeys.get'),
  route('POST', '/passkeys/challenge', 'passkeys.challenge', 200, { isPrivate: true }),
  route('POST', '/passkeys', 'passkeys.create', 201),
  route('PUT', '/passkeys/:id', 'passkeys.update'),
  route('DELETE', '/passkeys/:id', 'passkeys.delete'),

  route('POST', '/account/change-password', 'account.changePassword'),
  route('POST', '/account/change-username', 'account.changeUsername'),
  route('GET', '/account/username-changes', 'account.getUsernameChanges'),
  route('POST', '/account/request-password-reset', 'account.requestPasswordReset'),
  route('POST', '/account/reset-password', 'account.resetPassword'),
  route('POST', '/account/confirm-email', 'account.confirmEmail'),
  route('POST', '/account/verify-email', 'account.verifyEmail'),
  route('POST', '/account/resume-deliveries', 'account.resumeDeliveries'),
  route('POST', '/account/request-email-confirmation', 'account.requestEmailConfirmation'),

  route('GET', '/events', 'events.get'),
  route('POST', '/events', 'events.create', 201, { bodyKind: 'event' }),
  // The fixed word comes before the route with an id: no event has this word as its id.
  route('GET', '/events/sample', 'events.sample'),
  route('GET', '/events/export', 'events.export', 200, { responseKind: 'document' }),
  route('GET', '/events/:id', 'events.getOne'),
  route('POST', '/events/:id', 'events.addAttachment', 200, { bodyKind: 'files' }),
  route('PUT', '/events/:id', 'events.update'),
  route('DELETE', '/events/:id', 'events.delete'),
  route('GET', '/events/:id/:fileId', 'events.getAttachment', 200, { responseKind: 'file' }),
  route('GET', '/events/:id/:fileId/:fileName', 'events.getAttachment', 200, { responseKind: 'file' }),
  route('DELETE', '/events/:id/:fileId', 'events.deleteAttachment'),
  ...seriesRoutes,

  // The short paths are for clients that expect a previews server here. Without a suffix, that path is the event.
  route('GET', '/previews/events/:id', 'previews.get', 200, { responseKind: 'preview' }),
  ...['/events/:id', '/previews/events/:id'].flatMap(path =>
    ['.jpg', '.jpeg'].map(suffix =>
      route('GET', `${path}${suffix}`, 'previews.get', 200, { responseKind: 'preview' })
    )
  ),
  route('POST', '/clean-up-cache', 'previews.cleanUpCache'),

  route('GET', '/measures', 'measures.get'),
  route('GET', '/measures/facts', 'measures.facts'),
  route('GET', '/measures/sample', 'measures.sample'),
  route('GET', '/measures/days', 'measures.days'),
  route('GET', '/measures/compare', 'measures.compare'),
  route('GET', '/measures/week', 'measures.week'),
  route('GET', '/measures/around', 'measures.around'),

  route('GET', '/streams', 'streams.get'),
  route('GET', '/streams/facts', 'streams.facts'),
  route('POST', '/streams', 'streams.create', 201),
  route('PUT', '/streams/:id', 'streams.update'),
  route('DELETE', '/streams/:id', 'streams.delete'),

  route('GET', '/accesses', 'accesses.get'),
  route('POST', '/accesses', 'accesses.create', 201),
  route('POST', '/accesses/check-app', 'accesses.checkApp'),
  route('GET', '/accesses/:id', 'accesses.getOne'),
  route('GET', '/accesses/:id/receipt', 'accesses.getReceipt'),
  route('PUT', '/accesses/:id', 'accesses.update'),
  route('DELETE', '/accesses/:id', 'accesses.delete'),

  route('GET', '/sessions', 'sessions.get'),
  route('DELETE', '/sessions/:id', 'sessions.delete'),
  route('DELETE', '/sessions', 'sessions.deleteAll'),

  route('GET', '/identities', 'identities.get'),
  route('POST', '/identities', 'identities.create', 201),
  route('POST', '/identities/begin', 'identities.begin', 200, { isPrivate: true }),
  route('DELETE', '/identities/:id', 'identities.delete'),

  route('GET', '/account', 'account.get'),
  route('GET', '/account/email', 'account.getEmail'),
  route('GET', '/account/notices', 'account.getNotices'),
  route('PUT', '/account/notices', 'account.updateNotices'),
  route('GET', '/account/export', 'account.export', 200, { responseKind: 'export' }),
  route('PUT', '/account', 'account.update'),
  route('DELETE', '/account/deletion', 'account.keep'),

  route('GET', '/imports', 'imports.get'),
  route('POST', '/imports', 'imports.create', 201, { bodyKind: 'form' }),
  route('GET', '/imports/:id', 'imports.getOne'),
  route('POST', '/imports/:id/look', 'imports.look'),
  route('POST', '/imports/:id/run', 'imports.run'),
  route('POST', '/imports/:id/cancel', 'imports.cancel'),
  route('DELETE', '/imports/:id', 'imports.delete'),

  route('POST', '/cmc/offer', 'cmc.readOffer', 200, { isPrivate: true }),
  route('GET', '/cmc/peers/:id', 'cmc.getPeerAccess'),

  route('POST', '/shared-secrets', 'sharedSecrets.create', 201, { isPrivate: true }),
  route('POST', '/shared-secrets/retrieve', 'sharedSecrets.retrieve', 200, { isPrivate: true }),
  route('POST', '/shared-secrets/status', 'sharedSecrets.getOne', 200, { isPrivate: true }),

  route('GET', '/webhooks', 'webhooks.get'),
  route('POST', '/webhooks', 'webhooks.create', 201),
  route('GET', '/webhooks/:id', 'webhooks.getOne'),
  route('PUT', '/webhooks/:id', 'webhooks.update'),
  route('DELETE', '/webhooks/:id', 'webhooks.delete'),
  route('POST', '/webhooks/:id/test', 'webhooks.test'),
  route('GET', '/mirrors', 'mirrors.get'),
  route('POST', '/mirrors', 'mirrors.create', 201),
  route('POST', '/mirrors/report', 'mirrors.report'),
  route('POST', '/mirrors/erasure', 'mirrors.reportErasure'),
  route('GET', '/mirrors/:id', 'mirrors.getOne'),
  route('POST', '/mirrors/:id/notices/:key', 'mirrors.notify'),
  route('DELETE', '/mirrors/:id', 'mirrors.delete'),
  route('GET', '/channels', 'channels.get'),
  route('POST', '/channels', 'channels.create', 201),
  route('GET', '/channels/:id', 'channels.getOne'),
  route('PUT', '/channels/:id', 'channels.update'),
  route('DELETE', '/channels/:id', 'channels.delete'),
  route('POST', '/channels/:id/test', 'channels.test'),

  route('GET', '/letter', 'letter.get'),
  route('PUT', '/letter', 'letter.update'),
  route('POST', '/letter/unsubscribe/:token', 'letter.unsubscribe'),
  route('GET', '/reminders', 'reminders.get'),
  route('POST', '/reminders', 'reminders.create', 201),
  route('GET', '/reminders/:id', 'reminders.getOne'),
  route('PUT', '/reminders/:id', 'reminders.update'),
  route('DELETE', '/reminders/:id', 'reminders.delete'),
  route('POST', '/reminders/:id/answer', 'reminders.answer'),
  route('GET', '/reminders/:id/days', 'reminders.days'),
  route('GET', '/forms', 'forms.get'),
  route('POST', '/forms', 'forms.create', 201),
  route('GET', '/forms/:id', 'forms.getOne'),
  route('PUT', '/forms/:id', 'forms.update'),
  route('DELETE', '/forms/:id', 'forms.delete'),
  route('POST', '/forms/:id/answer', 'forms.answer', 201),
  route('GET', '/rules', 'rules.get'),
  route('POST', '/rules', 'rules.create', 201),
  route('POST', '/rules/test', 'rules.test'),
  route('GET', '/rules/:id', 'rules.getOne'),
  route('POST', '/rules/:id/acknowledge', 'rules.acknowledge'),
  route('PUT', '/rules/:id', 'rules.update'),
  route('DELETE', '/rules/:id', 'rules.delete'),
  route('GET', '/connections', 'connections.get'),
  route('POST', '/connections', 'connections.create', 201, { isPrivate: true }),
  route('GET', '/connections/:id', 'connections.getOne'),
  route('PUT', '/connections/:id', 'connections.update'),
  route('DELETE', '/connections/:id', 'connections.delete'),
  route('POST', '/connections/:id/preview', 'connections.preview'),
  route('GET', '/followed-slices', 'followedSlices.get'),
  route('POST', '/followed-slices', 'followedSlices.create', 201),
  route('PUT', '/followed-slices/:id', 'followedSlices.update'),
  route('DELETE', '/followed-slices/:id', 'followedSlices.delete'),

  route('GET', '/profile/app', 'profile.getApp'),
  route('PUT', '/profile/app', 'profile.updateApp'),
  route('GET', '/profile/public', 'profile.getPublic'),
  route('PUT', '/profile/public', 'profile.updatePublic'),
  route('GET', '/profile/private', 'profile.getPrivate'),
  route('PUT', '/profile/private', 'profile.updatePrivate'),
  route('GET', '/profile/:id', 'profile.get'),
  route('PUT', '/profile/:id', 'profile.update'),

  route('GET', '/audit/logs', 'audit.get'),

  // The method was removed from the API: 410 `removed-method`.
  route('POST', '/events/start', 'events.start'),
  route('POST', '/events/stop', 'events.stop'),
  route('GET', '/who-am-i', 'whoAmI'),
  route('GET', '/auth/who-am-i', 'whoAmI')
]

/** At the root of the server, outside any user. `/reg` is the registration service, `/access` the authentication service. */
export const serviceRoutes: readonly Route[] = [
  route('GET', '/service/info', 'service.info'),
  route('GET', '/service/infos', 'service.info'),
  route('GET', '/access/service/info', 'service.info'),
  route('GET', '/reg/service/info', 'service.info'),
  route('GET', '/reg/service/infos', 'service.info'),

  route('POST', '/clean-up-cache', 'previews.cleanUpCache'),

  route('POST', '/auth/identity', 'auth.lookUpIdentity', 200, { isPrivate: true }),
  route('POST', '/auth/passkey-challenge', 'auth.passkeyChallenge', 200, { isPrivate: true }),
  route('POST', '/auth/passkey-login', 'auth.passkeyLogin', 200, { cookie: 'set', isPrivate: true }),

  route('POST', '/users', 'auth.register', 201, { startsSession: true }),
  route('POST', '/reg/users', 'auth.register', 201, { startsSession: true }),
  route('DELETE', '/users/:username', 'users.delete', 200, { isByOwner: true }),
  route('DELETE', '/reg/users/:username', 'users.delete', 200, { isByOwner: true }),
  route('POST', '/users/:username/deletion', 'users.delete', 200, { isByOwner: true }),
  route('POST', '/reg/user', 'auth.registerOlder', 201),
  route('GET', '/reg/:username/check_username', 'auth.usernameCheck'),
  route('GET', '/reg/:username/check', 'auth.usernameCheck'),
  route('GET', '/reg/:email/check_email', 'auth.emailCheck'),
  route('GET', '/reg/:email/uid', 'registration.uid'),
  route('GET', '/reg/:email/username', 'registration.username'),
  route('GET', '/reg/:username/server', 'registration.server', 302, { responseKind: 'redirect' }),
  route('POST', '/reg/:username/server', 'registration.server'),
  route('GET', '/reg/cores', 'registration.cores'),
  route('GET', '/reg/hostings', 'registration.hostings'),
  route('GET', '/reg/apps', 'registration.apps'),
  route('GET', '/reg/apps/:appid', 'registration.app'),
  route('POST', '/reg/access/invitationtoken/check', 'registration.invitationTokenCheck', 200, {
    responseKind: 'text'
  }),

  ...['/reg/access', '/access'].flatMap(path => [
    route('POST', path, 'authRequest.create', 200, { isPrivate: true }),
    route('GET', `${path}/:key`, 'authRequest.poll', 200, { isPrivate: true }),
    route('POST', `${path}/:key`, 'authRequest.decide', 200, { isPrivate: true })
  ]),

  route('POST', '/service/oauth/authorize', 'oauth.authorize', 200, { isPrivate: true }),
  route('POST', '/service/oauth/register', 'oauth.register', 201, { isPrivate: true }),
  route('GET', '/service/oauth/keys', 'oauth.getKeys'),

  ...operatorRoutes,

  // 410 `removed-method` unless users have host names of their own.
  route('POST', '/reg/username/check', 'auth.usernameCheckPost', 200, { responseKind: 'text' }),
  route('POST', '/reg/email/check', 'auth.emailCheckPost', 200, { responseKind: 'text' })
]

/** Returns the endpoints of all methods. */
export function createEndpoints(): Endpoints {
  const routes = [...serviceRoutes, ...userRoutes].toReversed()
  return new Map(
    routes.map(({ method, path, status, verb }) => [method, { verb, resource: getFixedPart(path), status }])
  )
}

/** Returns the path before its first parameter: `/webhooks` for `/webhooks/:id/test`. */
function getFixedPart(path: string): string {
  const parameter = path.indexOf('/:')
  return parameter < 0 ? path : path.slice(0, parameter) || '/'
}
