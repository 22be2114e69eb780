/** Turns the mail on and off, and says when it is sent and what it tells. */
import { useEffect, useState } from 'preact/hooks'
import { getLanguage, t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { Action } from '../../parts/action.js'
import { Field } from '../../parts/field.js'
import { Form } from '../../parts/form.js'
import { ChannelChoice } from '../channels/channel-choice.js'
import { useAccount } from '../data/account.js'
import { formatDateTime, formatTime } from '../parts/format-time.js'

interface Settings {
  readonly isOn: boolean
  readonly weekday: number
  readonly time: string
  readonly zone: string
  readonly showsValues: boolean
  readonly byMail: boolean
  readonly channelIds: readonly string[]
  readonly next: number | null
  readonly address: string | null
  readonly hasMail: boolean
}

/** A Monday, counted from 1 January 1970. */
const monday = 4
const daySeconds = 86_400

/** Shows the settings. Renders nothing until they are read, or if that fails. */
export function LetterSettings({ zone }: { readonly zone: string }) {
  const { client } = useAccount()
  const [settings, setSettings] = useState<Settings>()
  const [channelIds, setChannelIds] = useState<readonly string[]>([])
  const show = (found: Settings): void => {
    setSettings(found)
    setChannelIds(found.channelIds)
  }
  useEffect(() => {
    client.call<{ letter: Settings }>('letter.get').then(
      ({ letter }) => show(letter),
      // The letter above is more important than a message that these could not be read.
      () => undefined
    )
  }, [client])
  if (!settings) return null
  const { byMail, hasMail, isOn, showsValues, time, weekday } = settings
  const address = hasMail ? settings.address : null
  const change = async (update: object): Promise<void> =>
    show((await client.call<{ letter: Settings }>('letter.update', { update })).letter)
  return (
    <section class="card panel">
      <h2>{t('letter.weekly')}</h2>
      <p role="status">{describeSettings({ ...settings, address })}</p>
      <Form
        key={String(isOn)}
        action={t(isOn ? 'letter.save' : 'letter.turnOn')}
        onSubmit={async values =>
          await change({
            isOn: true,
            zone,
            language: getLanguage().slice(0, 2),
            weekday: Number(values['weekday']),
            time: values['time'],
            channelIds,
            // Without an address there is nothing to choose.
            ...(address !== null && {
              byMail: values['byMail'] === 'on',
              showsValues: values['showsValues'] === 'on'
            })
          })
        }
        others={
          isOn && <Action onClick={async () => await change({ isOn: false })}>{t('letter.turnOff')}</Action>
        }
      >
        <div class="when">
          <div class="field">
            <label for="weekday">{t('letter.weekday')}</label>
            <select id="weekday" name="weekday">
              {Array.from({ length: 7 }, (_, index) => (
                <option key={index} value={index + 1} selected={index + 1 === weekday}>
                  {formatTime((monday + index) * daySeconds, { weekday: 'long', timeZone: 'UTC' })}
                </option>
              ))}
            </select>
          </div>
          <Field name="time" label={t('letter.time')} input={{ type: 'time', defaultValue: time }} />
        </div>
        {hasMail && address === null && <p class="hint">{t('letter.noAddress')}</p>}
        {address !== null && (
          <div class="field">
            <label class="tick">
              <input type="checkbox" name="byMail" defaultChecked={byMail} />
              {t('letter.byMail')}
            </label>
            <label class="tick">
              <input type="checkbox" name="showsValues" defaultChecked={showsValues} />
              {t('letter.showsValues')}
            </label>
          </div>
        )}
        <ChannelChoice value={channelIds} onChange={setChannelIds} />
      </Form>
    </section>
  )
}

/** Says whether, when and where the letter comes. */
function describeSettings({ address, byMail, isOn, next, zone }: Settings): string {
  const isMailed = address !== null && (byMail || !isOn)
  const time = next === null ? '' : formatDateTime(next, zone)
  if (isMailed) return t(isOn ? 'letter.mailOn' : 'letter.mailOff', { address: toPlainText(address), time })
  return t(isOn ? 'letter.on' : 'letter.off', { time })
}
