/** The time and duration fields of an event. */
import { useRef, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { FormRow } from '../parts/form-row.js'
import type { Entries } from './fields.js'
import { toLocalEntry, type DurationKind } from './time-entries.js'

interface Props {
  readonly entries: Entries
  /** Whether a duration can be entered; not for series. */
  readonly hasDuration: boolean
  readonly hint?: string | undefined
}

const durationKinds: readonly DurationKind[] = ['moment', 'length', 'until', 'running']

/**
 * Shows the fields in local time, filled from `entries`; those for a duration only with `hasDuration`. The form
 * reads the values.
 */
export function TimeFields({ entries, hasDuration, hint }: Props) {
  const [lasting, setLasting] = useState(entries['lasting'] as DurationKind)
  const container = useRef<HTMLDivElement>(null)
  const setNow = (): void => {
    const control = container.current?.querySelector<HTMLInputElement>('input[name=time]')
    if (control) control.value = toLocalEntry(Date.now() / 1000)
  }
  return (
    <div class="times" ref={container}>
      <FormRow name="time" label={t(lasting === 'moment' ? 'events.time' : 'events.from')} hint={hint}>
        {controlProps => (
          <div class="line">
            <input {...controlProps} type="datetime-local" step="any" defaultValue={entries['time'] ?? ''} />
            {(entries['time'] ?? '') === '' && (
              <button type="button" class="reveal" onClick={setNow}>
                {t('events.now')}
              </button>
            )}
          </div>
        )}
      </FormRow>
      {hasDuration && (
        <FormRow name="lasting" label={t('events.lasting')}>
          {controlProps => (
            <select
              {...controlProps}
              onChange={event => setLasting(event.currentTarget.value as DurationKind)}
            >
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
              {controlProps => (
                <div class="line">
                  <input
                    {...controlProps}
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
          {controlProps => (
            <div class="line">
              <input
                {...controlProps}
                type="datetime-local"
                step="any"
                defaultValue={entries['until'] ?? ''}
              />
            </div>
          )}
        </FormRow>
      )}
    </div>
  )
}
