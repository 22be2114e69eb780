/** The schema of a user's file, step by step. */
import type { Migration } from '../migrate.js'
import { initial } from './001-initial.js'
import { webhooks } from './002-webhooks.js'
import { series } from './003-series.js'
import { attachments } from './004-attachments.js'
import { history } from './005-history.js'
import { storageUsed } from './006-storage-used.js'
import { followedSlices } from './007-followed-slices.js'
import { signIn } from './008-sign-in.js'
import { audit } from './009-audit.js'
import { accessOrder } from './010-access-order.js'
import { highestNumbers } from './011-highest-numbers.js'
import { confirmedValues } from './012-confirmed-values.js'
import { accessConsent } from './013-access-consent.js'
import { auditStrangers } from './014-audit-strangers.js'
import { eventValues } from './015-event-values.js'
import { textSearch } from './016-text-search.js'
import { seriesSummaries } from './017-series-summaries.js'
import { imports } from './018-imports.js'
import { identities } from './019-identities.js'
import { oauthGrants } from './020-oauth-grants.js'
import { passkeys } from './021-passkeys.js'
import { textPlaces } from './022-text-places.js'
import { connections } from './023-connections.js'
import { accessVersions } from './v2/024-access-versions.js'
import { cmc } from './v2/025-cmc.js'
import { usedProofs } from './v2/026-used-proofs.js'
import { sharedSecrets } from './v2/027-shared-secrets.js'
import { emailAddresses } from './v2/028-email-addresses.js'
import { accessAliases } from './v2/029-access-aliases.js'
import { channels } from './v2/030-channels.js'
import { rules } from './v2/031-rules.js'
import { reminders } from './v2/032-reminders.js'
import { forms } from './v2/033-forms.js'
import { mirrors } from './v2/035-mirrors.js'
import { deliveries } from './v2/036-deliveries.js'
import { mirrorParts } from './v2/037-mirror-parts.js'
import { peerExpiry } from './v2/038-peer-expiry.js'
import { capabilityRemoval } from './v2/039-capability-removal.js'

/** The steps by name, in their order. */
export const userSteps = {
  initial,
  webhooks,
  series,
  attachments,
  history,
  storageUsed,
  followedSlices,
  signIn,
  audit,
  accessOrder,
  highestNumbers,
  confirmedValues,
  accessConsent,
  auditStrangers,
  eventValues,
  textSearch,
  seriesSummaries,
  imports,
  identities,
  oauthGrants,
  passkeys,
  textPlaces,
  connections,
  accessVersions,
  cmc,
  usedProofs,
  sharedSecrets,
  emailAddresses,
  accessAliases,
  channels,
  rules,
  reminders,
  forms,
  mirrors,
  deliveries,
  mirrorParts,
  peerExpiry,
  capabilityRemoval
} satisfies Record<string, Migration>

export const userMigrations: readonly Migration[] = Object.values(userSteps)
