/** Fills in the current location. Queries the device only when clicked. */
import { useState } from 'preact/hooks'
import { t } from '../../language.js'
import { formatEditable } from '../data/typed-numbers.js'
import { Icon } from '../parts/icon.js'

export function LocationButton() {
  const [state, setState] = useState<'idle' | 'busy' | 'failed'>('idle')
  const locate = (button: HTMLButtonElement): void => {
    const { form } = button
    if (state === 'busy' || !form) return
    setState('busy')
    const fill = (name: string, value: number | null): void => {
      const control = form.elements.namedItem(`content/${name}`)
      if (control instanceof HTMLInputElement) control.value = value === null ? '' : formatEditable(value)
    }
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        fill('latitude', coords.latitude)
        fill('longitude', coords.longitude)
        fill('horizontalAccuracy', coords.accuracy)
        fill('altitude', coords.altitude)
        fill('verticalAccuracy', coords.altitudeAccuracy)
        setState('idle')
      },
      () => setState('failed'),
      { enableHighAccuracy: true, timeout: 20_000 }
    )
  }
  if (!('geolocation' in navigator)) return null
  return (
    <div class="here">
      <button type="button" class="square" onClick={event => locate(event.currentTarget)}>
        <Icon name="pin" />
        {state === 'busy' ? t('loading') : t('events.here')}
      </button>
      <p class="hint" role="status">
        {state === 'failed' ? t('events.noLocation') : ''}
      </p>
    </div>
  )
}
