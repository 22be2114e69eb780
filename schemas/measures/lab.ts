/** Measures of the laboratory. */
import { inCategory, type Measure } from './measure.js'
import { glucose } from './units-of-measures.js'

export const lab: readonly Measure[] = inCategory('lab', [
  {
    id: 'glucose',
    names: { en: 'Blood glucose', de: 'Blutzucker', fr: 'Glycémie' },
    icon: 'droplet',
    hue: 285,
    kind: 'level',
    types: ['density/mmol-l', 'density/mg-dl'],
    unit: glucose,
    molarMass: 180.156,
    plausible: [2, 25],
    possible: [0, 200],
    codes: {
      loinc: ['2339-0', '15074-8', '2345-7', '14749-6'],
      healthKit: ['HKQuantityTypeIdentifierBloodGlucose'],
      healthConnect: ['BloodGlucoseRecord']
    }
  }
])
