/** Notices of changes: the other server calls a secret URL, and the copy is brought up to date at once. (docs/api/mirrors.md#notices) */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Call } from '../call/method.js'
import { isTransient } from '../cmc/peers/peer-calls.js'
import { writeAsService } from '../cmc/service-calls.js'
import { fail } from '../errors.js'
import { getAccountUrl } from '../service-info.js'
import { limitWait } from '../time.js'
import { isObject } from '../validation/is-object.js'
import { parseProgress, type Progress } from './progress.js'
import type { ReportContext } from './reports.js'

/** Seconds after which the other server is asked again, if it has refused. */
const askSeconds = 7 * 86_400
/** Seconds between two contacts, however many notices arrive. */
const minSeconds = 1

/** Asks the other server to call after changes, unless it does or has refused lately. Failures are ignored: there are regular contacts. */
export async function askForNotices({
  account,
  endpoint,
  id,
  peers,
  services
}: ReportContext): Promise<void> {
  const now = services.clock.now()
  const save = async (changed: Partial<Progress>): Promise<Progress | undefined> =>
    await writeAsService(services, account, ({ store }) => {
      const stored = store.mirrors.find(id)
      if (!stored) return undefined
      const progress: Progress = { ...parseProgress(stored), ...changed }
      store.mirrors.put({ ...stored, progress: JSON.stringify(progress) })
      return progress
    })
  const stored = services.accounts
    .openStore(account)
    .read(() => services.accounts.openStore(account).mirrors.find(id))
  if (!stored) return
  const { getsNotices, noticeAsked = -Infinity, noticeKey } = parseProgress(stored)
  if (getsNotices === true || limitWait(noticeAsked + askSeconds, now, askSeconds) > now) return
  const key = noticeKey ?? randomBytes(24).toString('base64url')
  // Stored first, so that the first notice is not refused.
  await save({ noticeKey: key, noticeAsked: now })
  const { username } = services.accounts.toOwn(account)
  const url = `${getAccountUrl(services.config, username)}mirrors/${id}/notices/${key}`
  const answer = await peers.call(endpoint, 'webhooks.create', { url })
  const { webhook } = answer.body
  const webhookId = isObject(webhook) ? webhook['id'] : undefined
  const isKnown = typeof webhookId === 'string' && webhookId.length <= 100
  if (answer.status === 200 || answer.status === 201 || answer.status === 409)
    await save({ getsNotices: true, ...(isKnown && { webhookId }) })
  else if (isTransient(answer)) await save({ noticeAsked: now - askSeconds + 3600 })
}

/** Removes the webhook of a mirror that has ended, if the permission has not. Failures are ignored: its calls are refused. */
export async function stopNotices({ account, endpoint, id, peers, services }: ReportContext): Promise<void> {
  const store = services.accounts.openStore(account)
  const stored = store.read(() => store.mirrors.find(id))
  const { webhookId } = stored ? parseProgress(stored) : {}
  if (webhookId !== undefined && stored?.mirror.ended?.reason !== 'revoked')
    await peers.call(endpoint, 'webhooks.delete', { id: webhookId })
}

/**
 * Makes a mirror due after a notice. Error: `unknown-resource` for a wrong key. A mirror that has ended, or
 * is copied for the first time, stays as it is.
 */
export function receiveNotice({ changes, now, store }: Call, id: string, key: string): void {
  const stored = store.mirrors.find(id)
  const { noticeKey } = stored ? parseProgress(stored) : {}
  if (!stored || noticeKey === undefined || !isSame(noticeKey, key))
    fail('unknown-resource', 'Unknown mirror')
  const { lastContact = 0, state } = stored.mirror
  if (state !== 'live') return
  // Also if it is due: it may be being copied, and must be copied once more.
  store.mirrors.wake(id, Math.max(now, lastContact + minSeconds))
  changes.add('timers')
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
