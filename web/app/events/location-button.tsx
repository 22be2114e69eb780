/** Fills in a place: the current location, which the device is asked for only when clicked, or one chosen on the map. */
import { useState } from 'preact/hooks'
import { t } from '../../language.js'
import { formatEditable, parseTypedNumber } from '../data/typed-numbers.js'
import { Icon } from '../parts/icon.js'
import { lazy } from '../parts/lazy.js'

/** Members of a position that are filled in, by the name of their control. */
interface Position {
  readonly latitude: number
  readonly longitude: number
}

const PlacePicker = lazy(() => import('../map/place-picker.js').then(module => module.PlacePicker))

/**
 * Shows the buttons; the one for the current location only if the browser has it. Both fill in the fields of
 * the form that contains them.
 */
export function LocationButton() {
  const [state, setState] = useState<'idle' | 'busy' | 'failed'>('idle')
  /** The form for which a place is being chosen, and the place that is in it. */
  const [choosing, setChoosing] = useState<{ form: HTMLFormElement; place: Position | undefined }>()
  const locate = (form: HTMLFormElement): void => {
    if (state === 'busy') return
    setState('busy')
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        fillIn(form, coords)
        setState('idle')
      },
      () => setState('failed'),
      { enableHighAccuracy: true, timeout: 20_000 }
    )
  }
  return (
    <div class="here">
      {'geolocation' in navigator && (
        <button type="button" class="square" onClick={({ currentTarget: { form } }) => form && locate(form)}>
          <Icon name="pin" />
          {state === 'busy' ? t('loading') : t('events.here')}
        </button>
      )}
      <button
        type="button"
        class="square"
        onClick={({ currentTarget: { form } }) => form && setChoosing({ form, place: readPlace(form) })}
      >
        <Icon name="map" />
        {t('events.chooseOnMap')}
      </button>
      <p class="hint" role="status">
        {state === 'failed' ? t('events.noLocation') : ''}
      </p>
      {choosing && (
        <PlacePicker
          place={choosing.place}
          onPick={place => fillIn(choosing.form, place)}
          onClose={() => setChoosing(undefined)}
        />
      )}
    </div>
  )
}

/** Fills in the controls of a position; what is unknown is emptied. */
function fillIn(form: HTMLFormElement, position: Position & Partial<GeolocationCoordinates>): void {
  const fill = (name: string, value: number | null | undefined): void => {
    const control = findControl(form, name)
    if (control) control.value = typeof value === 'number' ? formatEditable(value) : ''
  }
  fill('latitude', position.latitude)
  fill('longitude', position.longitude)
  fill('horizontalAccuracy', position.accuracy)
  fill('altitude', position.altitude)
  fill('verticalAccuracy', position.altitudeAccuracy)
}

/** Returns the place in the form; undefined if there is none. */
function readPlace(form: HTMLFormElement): Position | undefined {
  const [latitude, longitude] = ['latitude', 'longitude'].map(name => {
    const typed = parseTypedNumber(findControl(form, name)?.value ?? '')
    return 'number' in typed ? typed.number : NaN
  }) as [number, number]
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude } : undefined
}

function findControl(form: HTMLFormElement, name: string): HTMLInputElement | undefined {
  const control = form.elements.namedItem(`content/${name}`)
  return control instanceof HTMLInputElement ? control : undefined
}
