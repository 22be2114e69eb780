/** All scenarios, of all methods. */
import { accessScenarios } from './accesses.js'
import { accountScenarios } from './account.js'
import { attachmentScenarios } from './attachments.js'
import { authRequestScenarios } from './auth-requests.js'
import { auditScenarios } from './audit.js'
import { channelScenarios } from './channels.js'
import { letterScenarios } from './letter.js'
import { formScenarios } from './forms.js'
import { reminderAnswerScenarios } from './reminder-answers.js'
import { reminderScenarios } from './reminders.js'
import { ruleScenarios } from './rules.js'
import { cmcScenarios } from './cmc.js'
import { mirrorScenarios } from './mirrors.js'
import { connectionScenarios } from './connections.js'
import { eventScenarios } from './events.js'
import { exportScenarios } from './exports.js'
import { followedSliceScenarios } from './followed-slices.js'
import { identityScenarios } from './identities.js'
import { importScenarios } from './imports.js'
import { oauthOfferScenarios } from './oauth-offers.js'
import { oauthScenarios } from './oauth.js'
import { oauthClientScenarios } from './oauth-clients.js'
import { operatorScenarios } from './operators.js'
import { passkeyScenarios } from './passkeys.js'
import { profileScenarios } from './profile.js'
import { previewScenarios } from './previews.js'
import { measureScenarios } from './measures.js'
import { mfaScenarios } from './mfa.js'
import { passwordScenarios } from './passwords.js'
import { seriesScenarios } from './series.js'
import { serviceScenarios } from './service.js'
import { sessionScenarios } from './sessions.js'
import { sharedSecretScenarios } from './shared-secrets.js'
import { signInScenarios } from './sign-in.js'
import { streamScenarios } from './streams.js'
import { userScenarios } from './users.js'
import { valueScenarios } from './values.js'
import { webhookScenarios } from './webhooks.js'
import type { Contract } from './scenario.js'

/** The scenarios of every method. */
export const contract: Contract = {
  ...eventScenarios,
  ...exportScenarios,
  ...attachmentScenarios,
  ...previewScenarios,
  ...streamScenarios,
  ...valueScenarios,
  ...measureScenarios,
  ...seriesScenarios,
  ...accessScenarios,
  ...auditScenarios,
  ...accountScenarios,
  ...cmcScenarios,
  ...mirrorScenarios,
  ...oauthOfferScenarios,
  ...sharedSecretScenarios,
  ...webhookScenarios,
  ...channelScenarios,
  ...letterScenarios,
  ...formScenarios,
  ...reminderScenarios,
  ...reminderAnswerScenarios,
  ...ruleScenarios,
  ...connectionScenarios,
  ...followedSliceScenarios,
  ...identityScenarios,
  ...importScenarios,
  ...profileScenarios,
  ...signInScenarios,
  ...sessionScenarios,
  ...authRequestScenarios,
  ...oauthScenarios,
  ...passwordScenarios,
  ...mfaScenarios,
  ...passkeyScenarios,
  ...serviceScenarios,
  ...userScenarios,
  ...oauthClientScenarios,
  ...operatorScenarios
}
