/**
 * `account.updateNotices`: switches notices of sign-ins on or off. Not part of the original API.
 * (docs/spec/notices.md#turning-them-off)
 */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { setWantsNotices, notifyUser, wantsNotices } from '../../sign-in/notices/notices.js'
import { Notices, getNoticeSettings } from './get-notices.js'

/**
 * Switches notices on or off. When they are switched off, a last notice announces it: it may have been done
 * by an attacker.
 */
export const updateNotices = method({
  id: 'account.updateNotices',
  summary: 'Turn security emails on or off (extension)',
  params: Type.Object({ update: Type.Object({ isOn: Type.Boolean() }, closed) }, closed),
  result: Type.Object({ notices: Notices }),
  mode: 'write',
  mayExceedQuota: true,
  allow: personalOnly,
  run(call, { update: { isOn } }) {
    const { store } = call
    if (!isOn && wantsNotices(store)) notifyUser(call, { kind: 'noticesOff' })
    setWantsNotices(store, isOn)
    return { notices: getNoticeSettings(call) }
  }
})
