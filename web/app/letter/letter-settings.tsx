/** Turns the mail on and off, and says when it is sent and what it tells. */
import { useEffect, useState } from 'preact/hooks'
import { getLanguage, t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { Action } from '../../parts/action.js'
import { Field } from '../../parts/field.js'
import { Form } from '../../parts/form.js'
import { useAccount } from '../data/account.js'
import { formatDateTime, formatTime } from '../parts/format-time.js'

interface Settings {
  readonly isOn: boolean
  readonly weekday: number
  readonly time: string
  readonly zone: string
  readonly showsValues: boolean
  readonly next: number | null
  readonly address: string | null
  readonly hasMail: boolean
}

/** A Monday, counted from 1 January 1970. */
const monday = 4
const daySeconds = 86_400

export function LetterSettings({ zone }: { readonly zone: string }) {
  const { client } = useAccount()
  const [settings, setSettings] = useState<Settings>()
  useEffect(() => {
    client.call<{ letter: Settings }>('letter.get').then(
      ({ letter }) => setSettings(letter),
      // The letter above is more important than a message that these could not be read.
      () => undefined
    )
  }, [client])
  // Without mail, there is nothing to choose.
  if (!settings?.hasMail) return null
  const { address, isOn, next, showsValues, time, weekday } = settings
  const change = async (update: object): Promise<void> =>
    setSettings((await client.call<{ letter: Settings }>('letter.update', { update })).letter)
  if (address === null)
    return (
      <section class="card panel">
        <h2>{t('letter.mail')}</h2>
        <p>{t('letter.noAddress')}</p>
      </section>
    )
  return (
    <section class="card panel">
      <h2>{t('letter.mail')}</h2>
      <p role="status">
        {isOn && next !== null
          ? t('letter.mailOn', { address: toPlainText(address), time: formatDateTime(next, settings.zone) })
          : t('letter.mailOff', { address: toPlainText(address) })}
      </p>
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
            showsValues: values['showsValues'] === 'on'
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
        <div class="field">
          <label class="tick">
            <input type="checkbox" name="showsValues" defaultChecked={showsValues} />
            {t('letter.showsValues')}
          </label>
        </div>
      </Form>
    </section>
  )
}
