/** The methods for operators. (docs/spec/administration.md) */
import type { AnyMethod } from '../../call/method.js'
import { bringBackUser } from './bring-back-user.js'
import { checkPlatformIntegrity } from './check-platform-integrity.js'
import { createResetLink } from './create-reset-link.js'
import { createUser } from './create-user.js'
import { deactivateMfa } from './deactivate-mfa.js'
import { deletePasskeys } from './delete-passkeys.js'
import { getAccess } from './get-access.js'
import { getBreachScope } from './get-breach-scope.js'
import { getDeeds } from './get-deeds.js'
import { getGrowth } from './get-growth.js'
import { getOperator } from './get-operator.js'
import { getOverview } from './get-overview.js'
import { getSettings } from './get-settings.js'
import { getUserInfo } from './get-user-info.js'
import { getUser } from './get-user.js'
import { getUsers } from './get-users.js'
import { keepUser } from './keep-user.js'
import { limitUser } from './limit-user.js'
import { openSession } from './open-session.js'
import { relocateUser } from './relocate-user.js'
import { resumeUser } from './resume-user.js'
import { setPassword } from './set-password.js'
import { suspendUser } from './suspend-user.js'
import { unlockUser } from './unlock-user.js'

export const systemMethods: readonly AnyMethod[] = [
  bringBackUser,
  checkPlatformIntegrity,
  createResetLink,
  createUser,
  deactivateMfa,
  deletePasskeys,
  getAccess,
  getBreachScope,
  getDeeds,
  getGrowth,
  getOperator,
  getOverview,
  getSettings,
  getUserInfo,
  getUser,
  getUsers,
  keepUser,
  limitUser,
  openSession,
  relocateUser,
  resumeUser,
  setPassword,
  suspendUser,
  unlockUser
]
