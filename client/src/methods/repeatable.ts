/** Ids of the methods whose calls may be repeated without anything happening twice. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.
export const repeatable: ReadonlySet<string> = new Set(
  'account.export account.get account.getEmail account.update accesses.get authRequest.poll audit.get events.export events.getAttachment events.getOne events.get events.sample events.update followedSlices.get followedSlices.update imports.getOne imports.get getAccessInfo profile.getApp profile.getPrivate profile.getPublic profile.get profile.updateApp profile.updatePrivate profile.updatePublic profile.update previews.get registration.app registration.apps registration.cores auth.emailCheck registration.hostings registration.uid auth.usernameCheck registration.username service.info hfs.add hfs.addBatch hfs.get sessions.get streams.get streams.facts streams.update admin.getInvitations admin.getServerUsers admin.getServers admin.getUser admin.getUsers system.checkPlatformIntegrity system.getUserInfo system.getOperator system.getOverview system.getUsers system.getUser system.getDeeds system.getSettings webhooks.getOne webhooks.get webhooks.update'.split(
    ' '
  )
)
