/** The list of all methods. */
import type { AnyMethod } from '../call/method.js'
import { confirmEmail } from './account/confirm-email.js'
import { exportAccount } from './account/export.js'
import { getEmail } from './account/get-email.js'
import { getNotices } from './account/get-notices.js'
import { get as getAccount } from './account/get.js'
import { keep as keepAccount } from './account/keep.js'
import { updateNotices } from './account/update-notices.js'
import { update as updateAccount } from './account/update.js'
import { verifyEmail } from './account/verify-email.js'
import { checkApp } from './accesses/check-app.js'
import { create as createAccess } from './accesses/create.js'
import { deleteAccess } from './accesses/delete.js'
import { getReceipt } from './accesses/get-receipt.js'
import { get as getAccesses } from './accesses/get.js'
import { getOne as getAccess } from './accesses/get-one.js'
import { update as updateAccess } from './accesses/update.js'
import { create as createAuthRequest } from './auth-request/create.js'
import { decide as decideAuthRequest } from './auth-request/decide.js'
import { poll as pollAuthRequest } from './auth-request/poll.js'
import { changePassword } from './account/change-password.js'
import { changeUsername } from './account/change-username.js'
import { getUsernameChanges } from './account/get-username-changes.js'
import { requestEmailConfirmation } from './account/request-email-confirmation.js'
import { requestPasswordReset } from './account/request-password-reset.js'
import { resumeDeliveries } from './account/resume-deliveries.js'
import { resetPassword } from './account/reset-password.js'
import { get as getAudit } from './audit/get.js'
import { createInvitations } from './admin/create-invitations.js'
import { getInvitations } from './admin/get-invitations.js'
import { getServerUsers } from './admin/get-server-users.js'
import { getServers } from './admin/get-servers.js'
import { getUser } from './admin/get-user.js'
import { getUsers } from './admin/get-users.js'
import { login } from './auth/login.js'
import { loginByIdentity } from './auth/login-by-identity.js'
import { logout } from './auth/logout.js'
import { lookUpIdentity } from './auth/look-up-identity.js'
import { passkeyChallenge } from './auth/passkey-challenge.js'
import { passkeyLogin } from './auth/passkey-login.js'
import { callBatch } from './call-batch.js'
import { getPeerAccess } from './cmc/get-peer-access.js'
import { readOffer } from './cmc/read-offer.js'
import { addAttachment } from './events/add-attachment.js'
import { create as createEvent } from './events/create.js'
import { deleteAttachment } from './events/delete-attachment.js'
import { deleteEvent } from './events/delete.js'
import { exportEvents } from './events/export.js'
import { findTrashed as findTrashedEvents } from './events/find-trashed.js'
import { getAttachment } from './events/get-attachment.js'
import { getOne as getEvent } from './events/get-one.js'
import { get as getEvents } from './events/get.js'
import { sample } from './events/sample.js'
import { update as updateEvent } from './events/update.js'
import { channelMethods } from './channels/index.js'
import { letterMethods } from './letter/index.js'
import { formMethods } from './forms/index.js'
import { reminderMethods } from './reminders/index.js'
import { ruleMethods } from './rules/index.js'
import { mirrorMethods } from './mirrors/index.js'
import { connectionMethods } from './connections/index.js'
import { create as createSlice } from './followed-slices/create.js'
import { deleteSlice } from './followed-slices/delete.js'
import { get as getSlices } from './followed-slices/get.js'
import { update as updateSlice } from './followed-slices/update.js'
import { begin as beginIdentity } from './identities/begin.js'
import { create as createIdentity } from './identities/create.js'
import { remove as deleteIdentity } from './identities/delete.js'
import { get as getIdentities } from './identities/get.js'
import { cancel as cancelImport } from './imports/cancel.js'
import { create as createImport } from './imports/create.js'
import { deleteImport } from './imports/delete.js'
import { getOne as getImport } from './imports/get-one.js'
import { get as getImports } from './imports/get.js'
import { look as lookAtImport } from './imports/look.js'
import { run as runImport } from './imports/run.js'
import { around as compareAround } from './measures/around.js'
import { compare as compareMeasures } from './measures/compare.js'
import { days as getDays } from './measures/days.js'
import { facts as getMeasureFacts } from './measures/facts.js'
import { get as getMeasures } from './measures/get.js'
import { sample as sampleMeasure } from './measures/sample.js'
import { week as summariseWeek } from './measures/week.js'
import { getAccessInfo } from './get-access-info.js'
import { getApp as getAppProfile } from './profile/get-app.js'
import { getPrivate as getPrivateProfile } from './profile/get-private.js'
import { getPublic as getPublicProfile } from './profile/get-public.js'
import { get as getProfile } from './profile/get.js'
import { updateApp as updateAppProfile } from './profile/update-app.js'
import { updatePrivate as updatePrivateProfile } from './profile/update-private.js'
import { updatePublic as updatePublicProfile } from './profile/update-public.js'
import { update as updateProfile } from './profile/update.js'
import { acceptOffer } from './oauth/accept-offer.js'
import { authorize } from './oauth/authorize.js'
import { getClients, restoreClientKey, revokeClient, revokeClientKey } from './oauth/clients-admin.js'
import { getKeys } from './oauth/get-keys.js'
import { getUserInfo as getOAuthUserInfo } from './oauth/get-user-info.js'
import { introspect } from './oauth/introspect.js'
import { prove } from './oauth/prove.js'
import { readOffer as readOAuthOffer } from './oauth/read-offer.js'
import { register as registerClient } from './oauth/register.js'
import { revoke } from './oauth/revoke.js'
import { token } from './oauth/token.js'
import { cleanUpCache } from './previews/clean-up-cache.js'
import { getPreview } from './previews/get.js'
import { activate } from './mfa/activate.js'
import { challenge } from './mfa/challenge.js'
import { confirm } from './mfa/confirm.js'
import { deactivate } from './mfa/deactivate.js'
import { recover } from './mfa/recover.js'
import { verify } from './mfa/verify.js'
import { challenge as passkeysChallenge } from './passkeys/challenge.js'
import { create as createPasskey } from './passkeys/create.js'
import { deletePasskey } from './passkeys/delete.js'
import { get as getPasskeys } from './passkeys/get.js'
import { update as updatePasskey } from './passkeys/update.js'
import { app } from './registration/app.js'
import { apps } from './registration/apps.js'
import { cores } from './registration/cores.js'
import { emailCheckPost } from './registration/email-check-post.js'
import { emailCheck } from './registration/email-check.js'
import { hostings } from './registration/hostings.js'
import { invitationTokenCheck } from './registration/invitation-token-check.js'
import { registerOlder } from './registration/register-older.js'
import { register } from './registration/register.js'
import { server } from './registration/server.js'
import { uid } from './registration/uid.js'
import { usernameCheckPost } from './registration/username-check-post.js'
import { usernameCheck } from './registration/username-check.js'
import { username } from './registration/username.js'
import { info as serviceInfo } from './service/info.js'
import { add as addPoints } from './series/add.js'
import { addBatch as addPointsBatch } from './series/add-batch.js'
import { deletePoints } from './series/delete-points.js'
import { get as getPoints } from './series/get.js'
import { deleteAll as deleteSessions } from './sessions/delete-all.js'
import { deleteSession } from './sessions/delete.js'
import { get as getSessions } from './sessions/get.js'
import { sharedSecretMethods } from './shared-secrets/index.js'
import { streamMethods } from './streams/index.js'
import { systemMethods } from './system/index.js'
import { deleteUser } from './users/delete.js'
import { webhookMethods } from './webhooks/index.js'

export const methods: readonly AnyMethod[] = [
  confirmEmail,
  exportAccount,
  getAccount,
  getEmail,
  getNotices,
  updateNotices,
  updateAccount,
  verifyEmail,
  keepAccount,
  checkApp,
  createAccess,
  deleteAccess,
  getAccess,
  getAccesses,
  getReceipt,
  updateAccess,
  createAuthRequest,
  decideAuthRequest,
  pollAuthRequest,
  changePassword,
  changeUsername,
  getUsernameChanges,
  requestEmailConfirmation,
  requestPasswordReset,
  resetPassword,
  getAudit,
  login,
  loginByIdentity,
  logout,
  lookUpIdentity,
  passkeyChallenge,
  passkeyLogin,
  callBatch,
  readOffer,
  getPeerAccess,
  addAttachment,
  createEvent,
  deleteAttachment,
  deleteEvent,
  exportEvents,
  findTrashedEvents,
  getAttachment,
  getEvent,
  getEvents,
  sample,
  updateEvent,
  createSlice,
  deleteSlice,
  getSlices,
  updateSlice,
  beginIdentity,
  createIdentity,
  deleteIdentity,
  getIdentities,
  cancelImport,
  createImport,
  deleteImport,
  getImport,
  getImports,
  lookAtImport,
  runImport,
  getAccessInfo,
  getAppProfile,
  getPrivateProfile,
  getPublicProfile,
  getProfile,
  updateAppProfile,
  updatePrivateProfile,
  updatePublicProfile,
  updateProfile,
  cleanUpCache,
  getPreview,
  activate,
  challenge,
  confirm,
  deactivate,
  recover,
  verify,
  acceptOffer,
  resumeDeliveries,
  readOAuthOffer,
  authorize,
  getKeys,
  getOAuthUserInfo,
  introspect,
  registerClient,
  prove,
  revoke,
  token,
  passkeysChallenge,
  createPasskey,
  deletePasskey,
  getPasskeys,
  updatePasskey,
  app,
  apps,
  cores,
  emailCheckPost,
  emailCheck,
  hostings,
  invitationTokenCheck,
  registerOlder,
  register,
  server,
  uid,
  usernameCheckPost,
  usernameCheck,
  username,
  serviceInfo,
  addPoints,
  addPointsBatch,
  getDays,
  compareAround,
  compareMeasures,
  getMeasureFacts,
  getMeasures,
  sampleMeasure,
  summariseWeek,
  deletePoints,
  getPoints,
  deleteSessions,
  deleteSession,
  getSessions,
  ...streamMethods,
  createInvitations,
  getInvitations,
  getServerUsers,
  getServers,
  getUser,
  getUsers,
  ...systemMethods,
  getClients,
  revokeClient,
  revokeClientKey,
  restoreClientKey,
  deleteUser,
  ...sharedSecretMethods,
  ...channelMethods,
  ...letterMethods,
  ...reminderMethods,
  ...formMethods,
  ...ruleMethods,
  ...mirrorMethods,
  ...connectionMethods,
  ...webhookMethods
]
