/** The time and duration fields of an event. */
import { useRef, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { FormRow } from '../parts/form-row.js'
import type { Entries } from './fields.js'
import { toLocalEntry, type DurationKind } from './time-entries.js'

interface Props {
  readonly entries: Entries
  /** Whether a duration can be entered; not for series. */
  readonly canLast: boolean
  readonly hint?: string | undefined
}

const durationKinds: readonly DurationKind[] = ['moment', 'length', 'until', 'running']

export function TimeFields({ entries, canLast, hint }: Props) {
  const [lasting, setLasting] = useState(entries['lasting'] as DurationKind)
  const container = useRef<HTMLDivElement>(null)
  const setNow = (): void => {
    const control = container.current?.querySelector<HTMLInputElement>('input[name=time]')
    if (control) control.value = toLocalEntry(Date.now() / 1000)
  }
  return (
    <div class="times" ref={container}>
      <FormRow name="time" label={t(lasting === 'moment' ? 'events.time' : 'events.from')} hint={hint}>
        {tied => (
          <div class="line">
            <input {...tied} type="datetime-local" step="any" defaultValue={entries['time'] ?? ''} />
            {(entries['time'] ?? '') === '' && (
              <button type="button" class="reveal" onClick={setNow}>
                {t('events.now')}
              </button>
            )}
          </div>
        )}
      </FormRow>
      {canLast && (
        <FormRow name="lasting" label={t('events.lasting')}>
          {tied => (
            <select {...tied} onChange={event => setLasting(event.currentTarget.value as DurationKind)}>
              {durationKinds.map(each => (
                <option key={each} value={each} selected={each === lasting}>
                  {t(`events.lasting.${each}`)}
                </option>
              ))}
            </select>
          )}
        </FormRow>
      )}
      {lasting === 'length' && (
        <div class="pair">
          {(['hours', 'minutes'] as const).map(name => (
            <FormRow key={name} name={name} label={t(`events.${name}`)}>
              {tied => (
                <div class="line">
                  <input
                    {...tied}
                    type="text"
                    inputMode="decimal"
                    autocomplete="off"
                    defaultValue={entries[name] ?? ''}
                  />
                </div>
              )}
            </FormRow>
          ))}
        </div>
      )}
      {lasting === 'until' && (
        <FormRow name="until" label={t('events.until')}>
          {tied => (
            <div class="line">
              <input {...tied} type="datetime-local" step="any" defaultValue={entries['until'] ?? ''} />
            </div>
          )}
        </FormRow>
      )}
    </div>
  )
}
