/** Measures of where people are. */
import { inCategory, type Measure } from './measure.js'

export const places: readonly Measure[] = inCategory('places', [
  {
    id: 'position',
    names: { en: 'Position', de: 'Standort', fr: 'Position' },
    icon: 'map-pin',
    hue: 130,
    kind: 'place',
    types: ['position/wgs84'],
    fields: ['latitude', 'longitude'],
    isDefault: true
  }
])
