/** Chooses a place on the map, for the event form. Loaded when it is opened. */
import { useState } from 'preact/hooks'
import { getLocale, t } from '../../language.js'
import { Dialog } from '../parts/dialog.js'
import { Icon } from '../parts/icon.js'
import { MapCanvas } from './map-canvas.js'
import type { Place } from './projection.js'
import type { Track } from './read-tracks.js'

interface Props {
  /** The place in the form, if there is one. */
  readonly place: Place | undefined
  readonly onPick: (place: Place) => void
  readonly onClose: () => void
}

const noTracks: readonly Track[] = []

/**
 * Shows the map in a dialog. `onPick` receives the place on confirmation. The device's location is asked for
 * only when clicked.
 */
export function PlacePicker({ place: given, onPick, onClose }: Props) {
  const [start, setStart] = useState(given)
  const [place, setPlace] = useState(given)
  const [state, setState] = useState<'idle' | 'busy' | 'failed'>('idle')
  const locate = (): void => {
    setState('busy')
    navigator.geolocation.getCurrentPosition(
      ({ coords: { latitude, longitude } }) => {
        setStart({ latitude, longitude })
        setPlace({ latitude, longitude })
        setState('idle')
      },
      () => setState('failed'),
      { enableHighAccuracy: true, timeout: 20_000 }
    )
  }
  return (
    <Dialog title={t('events.chooseOnMap')} onClose={onClose} isWide>
      <div class="place-picker">
        <MapCanvas
          label={t('events.mapLabel')}
          tracks={noTracks}
          picking={{ start, place, onPick: setPlace }}
        />
        <p class="where" role="status">
          {state === 'failed' ? t('events.noLocation') : place ? formatPlace(place) : t('events.tapMap')}
        </p>
        <div class="actions">
          {'geolocation' in navigator && (
            <button type="button" class="button" onClick={locate}>
              <Icon name="pin" />
              {state === 'busy' ? t('loading') : t('events.here')}
            </button>
          )}
          <button
            type="button"
            class="button"
            disabled={!place}
            onClick={() => {
              if (place) onPick(place)
              onClose()
            }}
          >
            {t('events.usePlace')}
          </button>
        </div>
      </div>
    </Dialog>
  )
}

/** Formats a place: `46.2044, 6.1432`. */
function formatPlace({ latitude, longitude }: Place): string {
  const format = new Intl.NumberFormat(getLocale(), { maximumFractionDigits: 6 })
  return `${format.format(latitude)} · ${format.format(longitude)}`
}
