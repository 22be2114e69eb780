/** Measures of the body: mass, size, composition, temperature, and what hardly changes. */
import { inCategory, type Measure } from './measure.js'
import { bodyMass, height, lengths, masses, temperature, temperatures } from './units-of-measures.js'

const percent = { types: ['ratio/percent'], possible: [0, 100] } as const

export const body: readonly Measure[] = inCategory('body', [
  {
    id: 'weight',
    names: { en: 'Weight', de: 'Gewicht', fr: 'Poids' },
    icon: 'weight',
    hue: 215,
    kind: 'level',
    types: masses,
    isDefault: ['mass/kg', 'mass/lb', 'mass/st'],
    unit: bodyMass,
    plausible: [2, 250],
    possible: [0.2, 700],
    codes: {
      loinc: ['29463-7', '3141-9'],
      snomed: ['27113001'],
      healthKit: ['HKQuantityTypeIdentifierBodyMass'],
      healthConnect: ['WeightRecord'],
      hds: ['body-weight']
    }
  },
  {
    id: 'height',
    names: { en: 'Height', de: 'Körpergröße', fr: 'Taille' },
    icon: 'ruler',
    hue: 190,
    kind: 'level',
    types: lengths,
    unit: height,
    plausible: [40, 220],
    possible: [20, 280],
    codes: {
      loinc: ['8302-2'],
      snomed: ['50373000'],
      healthKit: ['HKQuantityTypeIdentifierHeight'],
      healthConnect: ['HeightRecord'],
      hds: ['body-height']
    }
  },
  {
    id: 'body-mass-index',
    names: { en: 'Body mass index', de: 'Body-Mass-Index', fr: 'Indice de masse corporelle' },
    icon: 'scale',
    hue: 230,
    kind: 'level',
    types: ['pressure/kg-m2'],
    isDefault: true,
    unit: { shown: 'pressure/kg-m2', offered: ['pressure/kg-m2'] },
    plausible: [12, 60],
    possible: [5, 250],
    codes: {
      loinc: ['39156-5'],
      snomed: ['60621009'],
      healthKit: ['HKQuantityTypeIdentifierBodyMassIndex']
    }
  },
  {
    id: 'body-fat',
    names: { en: 'Body fat', de: 'Körperfett', fr: 'Masse grasse' },
    icon: 'percent',
    hue: 40,
    kind: 'level',
    ...percent,
    plausible: [3, 60],
    codes: {
      loinc: ['41982-0'],
      healthKit: ['HKQuantityTypeIdentifierBodyFatPercentage'],
      healthConnect: ['BodyFatRecord']
    }
  },
  {
    id: 'body-temperature',
    names: { en: 'Body temperature', de: 'Körpertemperatur', fr: 'Température corporelle' },
    icon: 'thermometer',
    hue: 20,
    kind: 'level',
    types: temperatures,
    unit: temperature,
    plausible: [34, 42],
    possible: [10, 50],
    codes: {
      loinc: ['8310-5', '8331-1'],
      snomed: ['386725007'],
      healthKit: ['HKQuantityTypeIdentifierBodyTemperature'],
      healthConnect: ['BodyTemperatureRecord']
    }
  }
])
