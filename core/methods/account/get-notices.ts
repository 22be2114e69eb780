/**
 * `account.getNotices`: whether the user is notified of sign-ins by mail. Not part of the original API.
 * (docs/spec/notices.md#turning-them-off)
 */
import { Type, type Static } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { method, type Call } from '../../call/method.js'
import { wantsNotices } from '../../sign-in/notices/notices.js'

/** `isOn`: whether the user wants notices; `isAvailable`: whether the operator has enabled notices. */
export const Notices = Type.Object({ isOn: Type.Boolean(), isAvailable: Type.Boolean() })

/** Returns whether notices are on and available. */
export function getNoticeSettings({
  services,
  store
}: Pick<Call, 'services' | 'store'>): Static<typeof Notices> {
  return { isOn: wantsNotices(store), isAvailable: services.mailer.sends('signedIn') }
}

/** Returns whether notices are on and available. */
export const getNotices = method({
  id: 'account.getNotices',
  summary: 'Get whether security emails are on (extension)',
  params: Type.Object({}, closed),
  result: Type.Object({ notices: Notices }),
  mode: 'read',
  allow: personalOnly,
  run: call => ({ notices: getNoticeSettings(call) })
})
