/** Measures of food and drink. */
import { inCategory, type Measure } from './measure.js'
import { drink } from './units-of-measures.js'

export const nutrition: readonly Measure[] = inCategory('nutrition', [
  {
    id: 'water',
    names: { en: 'Water', de: 'Wasser', fr: 'Eau' },
    icon: 'glass-water',
    hue: 200,
    kind: 'sum',
    types: ['volume/ml', 'volume/l', 'volume/floz', 'volume/c', 'volume/pt'],
    unit: drink,
    plausible: [0, 5000],
    possible: [0, 30_000],
    codes: {
      healthKit: ['HKQuantityTypeIdentifierDietaryWater'],
      healthConnect: ['HydrationRecord']
    }
  },
  {
    id: 'coffee',
    names: { en: 'Coffee', de: 'Kaffee', fr: 'Café' },
    icon: 'coffee',
    hue: 25,
    kind: 'sum',
    types: ['count/generic'],
    plausible: [0, 10],
    possible: [0, 100]
  },
  {
    id: 'caffeine',
    names: { en: 'Caffeine', de: 'Koffein', fr: 'Caféine' },
    icon: 'bean',
    hue: 35,
    kind: 'sum',
    types: ['mass/mg', 'mass/g'],
    unit: { shown: 'mass/mg', offered: ['mass/mg'] },
    plausible: [0, 600],
    possible: [0, 20_000],
    codes: {
      healthKit: ['HKQuantityTypeIdentifierDietaryCaffeine'],
      healthConnect: ['NutritionRecord.caffeine']
    }
  }
])
