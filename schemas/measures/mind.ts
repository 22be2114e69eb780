/** Measures of the mind: mood, and what people write down, photograph and record. */
import { inCategory, type Measure } from './measure.js'

export const mind: readonly Measure[] = inCategory('mind', [
  {
    id: 'mood',
    names: { en: 'Mood', de: 'Stimmung', fr: 'Humeur' },
    icon: 'smile',
    hue: 45,
    kind: 'level',
    types: ['mood/rating'],
    isDefault: true,
    plausible: [0, 1],
    possible: [0, 1]
  },
  {
    id: 'note',
    names: { en: 'Notes', de: 'Notizen', fr: 'Notes' },
    icon: 'notebook-pen',
    hue: 60,
    kind: 'text',
    types: ['note/txt', 'note/html'],
    isDefault: true
  },
  {
    id: 'photo',
    names: { en: 'Photos', de: 'Fotos', fr: 'Photos' },
    icon: 'camera',
    hue: 195,
    kind: 'text',
    types: ['picture/attached', 'picture/url', 'picture/base64'],
    isDefault: true
  }
])
