/** Turns notifications on this device on and off: a subscription of this browser, and the channel for it. */
import { useEffect, useState } from 'preact/hooks'
import { Refusal } from '../../api.js'
import { t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { useAccount } from '../data/account.js'
import type { Channel } from './channels.js'
import { digestEndpoint, findSubscription } from './subscription.js'

interface Props {
  readonly channels: readonly Channel[]
  readonly webPushKey: string
  readonly onChanged: () => Promise<void>
}

/**
 * Shows the state with a button, or only that this browser has no push. Turning on asks for the browser's
 * permission and may be refused; turning off deletes the channel.
 */
export function ThisDevice({ channels, webPushKey, onChanged }: Props) {
  const { client } = useAccount()
  const [digest, setDigest] = useState<string>()
  const isSupported =
    'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis
  useEffect(() => {
    if (!isSupported) return
    void findSubscription().then(async found => setDigest(found && (await digestEndpoint(found.endpoint))))
  }, [channels])
  const channel = channels.find(each => each.target.digest !== undefined && each.target.digest === digest)
  const turnOn = async (): Promise<void> => {
    if ((await Notification.requestPermission()) !== 'granted')
      throw new Refusal('channels-denied', t('channels.denied'))
    const subscription = await subscribe(webPushKey)
    if (!subscription) throw new Refusal('channels-unsupported', t('channels.unsupported'))
    const target = subscription.toJSON()
    if (channel) await client.call('channels.update', { id: channel.id, update: { target, state: 'active' } })
    else await client.call('channels.create', { type: 'web-push', name: describeThisDevice(), target })
    await onChanged()
  }
  const turnOff = async (): Promise<void> => {
    await (await findSubscription())?.unsubscribe()
    if (channel) await client.call('channels.delete', { id: channel.id })
    await onChanged()
  }
  const isOn = channel?.state === 'active'
  return (
    <section class="card panel device" aria-labelledby="device">
      <h2 id="device">{t('channels.device')}</h2>
      <p>{t(isSupported ? (isOn ? 'channels.deviceOn' : 'channels.deviceOff') : 'channels.unsupported')}</p>
      {isSupported && (
        <div class="actions side">
          {isOn ? (
            <Action onClick={turnOff}>{t('channels.turnOff')}</Action>
          ) : (
            <Action class="button primary" onClick={turnOn}>
              {t('channels.turnOn')}
            </Action>
          )}
        </div>
      )}
    </section>
  )
}

/**
 * Subscribes with the key of the service, and replaces a subscription with another key. Returns undefined if
 * there is no service worker, or if the browser cannot reach its push service.
 */
async function subscribe(key: string): Promise<PushSubscription | undefined> {
  const registration = await navigator.serviceWorker.getRegistration()
  if (!registration) return undefined
  const existing = await registration.pushManager.getSubscription()
  try {
    return await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })
  } catch (error) {
    // A subscription with another key, for example because the service was set up again.
    if (!existing || !(await existing.unsubscribe())) return ignore(error)
    return await registration.pushManager
      .subscribe({ userVisibleOnly: true, applicationServerKey: key })
      .catch(ignore)
  }
}

function ignore(_error: unknown): undefined {
  return undefined
}

const browsers = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari']
] as const
const systems = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux']
] as const

/** Returns the names of the browser and the system; a general name if neither is known. */
function describeThisDevice(): string {
  const found = [browsers, systems].flatMap(
    names => names.find(([part]) => navigator.userAgent.includes(part))?.[1] ?? []
  )
  return found.join(', ') || 'Web Push'
}
