/** All methods by their ids. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.
import type { AccessesMethods } from './accesses.js'
import type { AccountMethods } from './account.js'
import type { AdminMethods } from './admin.js'
import type { AuditMethods } from './audit.js'
import type { AuthMethods } from './auth.js'
import type { AuthRequestMethods } from './auth-request.js'
import type { ChannelsMethods } from './channels.js'
import type { CmcMethods } from './cmc.js'
import type { ConnectionsMethods } from './connections.js'
import type { EventsMethods } from './events.js'
import type { FollowedSlicesMethods } from './followed-slices.js'
import type { FormsMethods } from './forms.js'
import type { IdentitiesMethods } from './identities.js'
import type { ImportsMethods } from './imports.js'
import type { LetterMethods } from './letter.js'
import type { MeasuresMethods } from './measures.js'
import type { MirrorsMethods } from './mirrors.js'
import type { OauthMethods } from './oauth.js'
import type { PasskeysMethods } from './passkeys.js'
import type { RemindersMethods } from './reminders.js'
import type { RulesMethods } from './rules.js'
import type { SeriesMethods } from './series.js'
import type { ServiceMethods } from './service.js'
import type { SharedSecretsMethods } from './shared-secrets.js'
import type { StreamsMethods } from './streams.js'
import type { SystemMethods } from './system.js'

export interface Methods
  extends
    AccessesMethods,
    AccountMethods,
    AdminMethods,
    AuditMethods,
    AuthMethods,
    AuthRequestMethods,
    ChannelsMethods,
    CmcMethods,
    ConnectionsMethods,
    EventsMethods,
    FollowedSlicesMethods,
    FormsMethods,
    IdentitiesMethods,
    ImportsMethods,
    LetterMethods,
    MeasuresMethods,
    MirrorsMethods,
    OauthMethods,
    PasskeysMethods,
    RemindersMethods,
    RulesMethods,
    SeriesMethods,
    ServiceMethods,
    SharedSecretsMethods,
    StreamsMethods,
    SystemMethods {}
