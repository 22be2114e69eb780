/** Measures of medication. */
import { inCategory, type Measure } from './measure.js'

export const medication: readonly Measure[] = inCategory('medication', [
  {
    id: 'medication',
    names: { en: 'Medication', de: 'Medikamente', fr: 'Médicaments' },
    icon: 'pill',
    hue: 280,
    kind: 'text',
    types: ['note/txt']
  },
  {
    id: 'tablets',
    names: { en: 'Tablets', de: 'Tabletten', fr: 'Comprimés' },
    icon: 'tablets',
    hue: 265,
    kind: 'sum',
    types: ['count/generic'],
    plausible: [0, 10],
    possible: [0, 500]
  }
])
