/** Fills in a place that is chosen on the map, or where the device is. */
import { useState } from 'preact/hooks'
import { t } from '../../language.js'
import { Icon } from '../parts/icon.js'
import { lazy } from '../parts/lazy.js'
import { addModuleTexts } from '../texts.js'

const PlacePicker = lazy(async () => {
  const modules = ['events', 'map'].map(addModuleTexts)
  const [module] = await Promise.all([import('../map/place-picker.js'), ...modules])
  return module.PlacePicker
})

const names = ['latitude', 'longitude'] as const

/** Shows a button that opens the map, and writes the chosen place into the coordinate fields of its form. */
export function PlaceButton() {
  const [form, setForm] = useState<HTMLFormElement>()
  const find = (name: string): HTMLInputElement => form!.elements.namedItem(name) as HTMLInputElement
  const read = (): { latitude: number; longitude: number } | undefined => {
    const [latitude, longitude] = names.map(name => find(name).valueAsNumber) as [number, number]
    return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude } : undefined
  }
  return (
    <>
      <button type="button" class="button" onClick={event => setForm(event.currentTarget.form ?? undefined)}>
        <Icon name="map" />
        {t('alerts.onMap')}
      </button>
      {form && (
        <PlacePicker
          place={read()}
          onPick={place => {
            for (const name of names) find(name).value = place[name].toFixed(6)
          }}
          onClose={() => setForm(undefined)}
        />
      )}
    </>
  )
}
