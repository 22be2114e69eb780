/** Measures of food, drink and tobacco. */
import { createRow, inCategory, type NameList, type Row } from '../rows/create-row.js'
import { drink, energies, smallMass } from '../rows/units.js'

const volumes = ['volume/ml', 'volume/l', 'volume/floz', 'volume/c', 'volume/pt']

/** Builds a nutrient that is given in grams, with the largest plausible amount and its names in HealthKit and Health Connect. */
function createMacro(
  id: string,
  names: NameList,
  icon: string,
  hue: number,
  largest: number,
  healthKit?: string,
  healthConnect?: string
): Row {
  const codes = {
    ...(healthKit !== undefined && { healthKit: [`HKQuantityTypeIdentifierDietary${healthKit}`] }),
    ...(healthConnect !== undefined && { healthConnect: [`NutritionRecord.${healthConnect}`] })
  }
  return createRow(id, names, icon, hue, 'sum', ['mass/g', 'mass/mg', 'mass/kg', 'mass/oz'], {
    unit: smallMass,
    plausible: [0, largest],
    possible: [0, 5000],
    codes
  })
}

/** Builds an energy of food (kcal). */
function createEnergy(id: string, names: NameList, icon: string, hue: number, codes: Row['codes']): Row {
  return createRow(id, names, icon, hue, 'sum', energies, {
    unit: { shown: 'energy/kcal', offered: ['energy/kcal'] },
    plausible: [0, 6000],
    possible: [0, 50_000],
    ...(codes && { codes })
  })
}

/** Builds something that is counted, such as cups or portions. */
function createCount(
  id: string,
  names: NameList,
  icon: string,
  hue: number,
  largest: number,
  codes?: Row['codes']
): Row {
  return createRow(id, names, icon, hue, 'sum', ['count/generic'], {
    plausible: [0, largest],
    possible: [0, 20 * largest],
    ...(codes && { codes })
  })
}

/** Builds a drink that is measured (ml). */
function createDrink(id: string, names: NameList, icon: string, hue: number, codes?: Row['codes']): Row {
  return createRow(id, names, icon, hue, 'sum', volumes, {
    unit: drink,
    plausible: [0, 5000],
    possible: [0, 30_000],
    ...(codes && { codes })
  })
}

export const nutrition = inCategory('nutrition', [
  createDrink('water', ['Water', 'Wasser', 'Eau'], 'glass-water', 200, {
    healthKit: ['HKQuantityTypeIdentifierDietaryWater'],
    healthConnect: ['HydrationRecord']
  }),
  createCount('coffee', ['Coffee', 'Kaffee', 'Café'], 'coffee', 25, 12),
  createCount('tea', ['Tea', 'Tee', 'Thé'], 'coffee', 110, 15),
  createRow('caffeine', ['Caffeine', 'Koffein', 'Caféine'], 'bean', 35, 'sum', ['mass/mg', 'mass/g'], {
    unit: { shown: 'mass/mg', offered: ['mass/mg'] },
    plausible: [0, 800],
    possible: [0, 50_000],
    codes: {
      healthKit: ['HKQuantityTypeIdentifierDietaryCaffeine'],
      healthConnect: ['NutritionRecord.caffeine']
    }
  }),
  createCount(
    'alcoholic-drinks',
    ['Alcoholic drinks', 'Alkoholische Getränke', 'Boissons alcoolisées'],
    'wine',
    345,
    15,
    {
      healthKit: ['HKQuantityTypeIdentifierNumberOfAlcoholicBeverages']
    }
  ),
  createEnergy('food-energy', ['Food energy', 'Energie aus Nahrung', 'Énergie alimentaire'], 'utensils', 15, {
    healthKit: ['HKQuantityTypeIdentifierDietaryEnergyConsumed'],
    healthConnect: ['NutritionRecord.energy']
  }),
  createEnergy('fat-energy', ['Energy from fat', 'Energie aus Fett', 'Énergie des lipides'], 'flame', 50, {
    healthConnect: ['NutritionRecord.energyFromFat']
  }),
  createMacro('protein', ['Protein', 'Eiweiß', 'Protéines'], 'beef', 5, 300, 'Protein', 'protein'),
  createMacro(
    'carbohydrates',
    ['Carbohydrates', 'Kohlenhydrate', 'Glucides'],
    'wheat',
    45,
    800,
    'Carbohydrates',
    'totalCarbohydrate'
  ),
  createMacro('sugar', ['Sugar', 'Zucker', 'Sucres'], 'candy', 320, 300, 'Sugar', 'sugar'),
  createMacro(
    'fibre',
    ['Fibre', 'Ballaststoffe', 'Fibres alimentaires'],
    'wheat',
    95,
    100,
    'Fiber',
    'dietaryFiber'
  ),
  createMacro('fat', ['Fat', 'Fett', 'Lipides'], 'droplet', 55, 300, 'FatTotal', 'totalFat'),
  createMacro(
    'saturated-fat',
    ['Saturated fat', 'Gesättigte Fettsäuren', 'Acides gras saturés'],
    'droplet',
    30,
    150,
    'FatSaturated',
    'saturatedFat'
  ),
  createMacro(
    'unsaturated-fat',
    ['Unsaturated fat', 'Ungesättigte Fettsäuren', 'Acides gras insaturés'],
    'droplet',
    75,
    200,
    undefined,
    'unsaturatedFat'
  ),
  createMacro(
    'monounsaturated-fat',
    ['Monounsaturated fat', 'Einfach ungesättigte Fettsäuren', 'Acides gras mono-insaturés'],
    'droplet',
    90,
    150,
    'FatMonounsaturated',
    'monounsaturatedFat'
  ),
  createMacro(
    'polyunsaturated-fat',
    ['Polyunsaturated fat', 'Mehrfach ungesättigte Fettsäuren', 'Acides gras polyinsaturés'],
    'droplet',
    105,
    150,
    'FatPolyunsaturated',
    'polyunsaturatedFat'
  ),
  createMacro(
    'trans-fat',
    ['Trans fat', 'Transfettsäuren', 'Acides gras trans'],
    'droplet',
    10,
    30,
    undefined,
    'transFat'
  ),
  createRow('meal', ['Meals', 'Mahlzeiten', 'Repas'], 'soup', 20, 'text', ['note/txt']),
  createRow('fasting', ['Fasting', 'Fasten', 'Jeûne'], 'hourglass', 260, 'span', ['activity/plain']),
  createCount('cigarettes', ['Cigarettes', 'Zigaretten', 'Cigarettes'], 'cigarette', 0, 60)
])
