/** Vitamins, minerals and other nutrients given in milligrams, in the category of nutrition. */
import { createRow, inCategory, type NameList, type Row } from '../rows/create-row.js'

/**
 * Builds a nutrient, with the largest plausible amount (mg) of a day, supplements included, and its names in HealthKit and Health
 * Connect.
 */
function createNutrient(
  id: string,
  names: NameList,
  icon: string,
  hue: number,
  largest: number,
  healthKit: string,
  healthConnect: string
): Row {
  return createRow(id, names, icon, hue, 'sum', ['mass/mg', 'mass/g'], {
    unit: { shown: 'mass/mg', offered: ['mass/mg', 'mass/g'] },
    plausible: [0, largest],
    possible: [0, 50 * largest],
    codes: {
      healthKit: [`HKQuantityTypeIdentifierDietary${healthKit}`],
      healthConnect: [`NutritionRecord.${healthConnect}`]
    }
  })
}

export const nutrients = inCategory('nutrition', [
  createNutrient('sodium', ['Sodium', 'Natrium', 'Sodium'], 'cuboid', 190, 15_000, 'Sodium', 'sodium'),
  createNutrient(
    'potassium',
    ['Potassium', 'Kalium', 'Potassium'],
    'banana',
    50,
    12_000,
    'Potassium',
    'potassium'
  ),
  createNutrient('calcium', ['Calcium', 'Kalzium', 'Calcium'], 'milk', 200, 4000, 'Calcium', 'calcium'),
  createNutrient(
    'magnesium',
    ['Magnesium', 'Magnesium', 'Magnésium'],
    'nut',
    80,
    2000,
    'Magnesium',
    'magnesium'
  ),
  createNutrient('iron', ['Iron', 'Eisen', 'Fer'], 'atom', 10, 300, 'Iron', 'iron'),
  createNutrient('zinc', ['Zinc', 'Zink', 'Zinc'], 'atom', 215, 150, 'Zinc', 'zinc'),
  createNutrient(
    'phosphorus',
    ['Phosphorus', 'Phosphor', 'Phosphore'],
    'atom',
    95,
    5000,
    'Phosphorus',
    'phosphorus'
  ),
  createNutrient(
    'chloride',
    ['Chloride', 'Chlorid', 'Chlorure'],
    'atom',
    140,
    20_000,
    'Chloride',
    'chloride'
  ),
  createNutrient('iodine', ['Iodine', 'Jod', 'Iode'], 'atom', 270, 2, 'Iodine', 'iodine'),
  createNutrient('selenium', ['Selenium', 'Selen', 'Sélénium'], 'atom', 300, 1, 'Selenium', 'selenium'),
  createNutrient('copper', ['Copper', 'Kupfer', 'Cuivre'], 'atom', 25, 15, 'Copper', 'copper'),
  createNutrient(
    'manganese',
    ['Manganese', 'Mangan', 'Manganèse'],
    'atom',
    330,
    20,
    'Manganese',
    'manganese'
  ),
  createNutrient('chromium', ['Chromium', 'Chrom', 'Chrome'], 'atom', 175, 2, 'Chromium', 'chromium'),
  createNutrient(
    'molybdenum',
    ['Molybdenum', 'Molybdän', 'Molybdène'],
    'atom',
    250,
    3,
    'Molybdenum',
    'molybdenum'
  ),
  createNutrient(
    'dietary-cholesterol',
    ['Dietary cholesterol', 'Cholesterin in der Nahrung', 'Cholestérol alimentaire'],
    'egg',
    45,
    2000,
    'Cholesterol',
    'cholesterol'
  ),
  createNutrient(
    'vitamin-a',
    ['Vitamin A', 'Vitamin A', 'Vitamine A'],
    'carrot',
    25,
    10,
    'VitaminA',
    'vitaminA'
  ),
  createNutrient(
    'thiamin',
    ['Thiamin (vitamin B1)', 'Thiamin (Vitamin B1)', 'Thiamine (vitamine B1)'],
    'wheat',
    55,
    300,
    'Thiamin',
    'thiamin'
  ),
  createNutrient(
    'riboflavin',
    ['Riboflavin (vitamin B2)', 'Riboflavin (Vitamin B2)', 'Riboflavine (vitamine B2)'],
    'wheat',
    65,
    400,
    'Riboflavin',
    'riboflavin'
  ),
  createNutrient(
    'niacin',
    ['Niacin (vitamin B3)', 'Niacin (Vitamin B3)', 'Niacine (vitamine B3)'],
    'wheat',
    75,
    1500,
    'Niacin',
    'niacin'
  ),
  createNutrient(
    'pantothenic-acid',
    ['Pantothenic acid (vitamin B5)', 'Pantothensäure (Vitamin B5)', 'Acide pantothénique (vitamine B5)'],
    'wheat',
    85,
    1000,
    'PantothenicAcid',
    'pantothenicAcid'
  ),
  createNutrient(
    'vitamin-b6',
    ['Vitamin B6', 'Vitamin B6', 'Vitamine B6'],
    'wheat',
    105,
    200,
    'VitaminB6',
    'vitaminB6'
  ),
  createNutrient(
    'biotin',
    ['Biotin (vitamin B7)', 'Biotin (Vitamin B7)', 'Biotine (vitamine B7)'],
    'wheat',
    115,
    20,
    'Biotin',
    'biotin'
  ),
  createNutrient(
    'folate',
    ['Folate (vitamin B9)', 'Folat (Vitamin B9)', 'Folates (vitamine B9)'],
    'leafy-green',
    130,
    10,
    'Folate',
    'folate'
  ),
  createRow(
    'folic-acid',
    ['Folic acid', 'Folsäure', 'Acide folique'],
    'leafy-green',
    150,
    'sum',
    ['mass/mg', 'mass/g'],
    {
      unit: { shown: 'mass/mg', offered: ['mass/mg', 'mass/g'] },
      plausible: [0, 10],
      possible: [0, 500],
      codes: { healthConnect: ['NutritionRecord.folicAcid'] }
    }
  ),
  createNutrient(
    'vitamin-b12',
    ['Vitamin B12', 'Vitamin B12', 'Vitamine B12'],
    'fish',
    350,
    10,
    'VitaminB12',
    'vitaminB12'
  ),
  createNutrient(
    'vitamin-c',
    ['Vitamin C', 'Vitamin C', 'Vitamine C'],
    'citrus',
    40,
    5000,
    'VitaminC',
    'vitaminC'
  ),
  createNutrient('vitamin-d', ['Vitamin D', 'Vitamin D', 'Vitamine D'], 'sun', 45, 2, 'VitaminD', 'vitaminD'),
  createNutrient(
    'vitamin-e',
    ['Vitamin E', 'Vitamin E', 'Vitamine E'],
    'avocado',
    90,
    1000,
    'VitaminE',
    'vitaminE'
  ),
  createNutrient(
    'vitamin-k',
    ['Vitamin K', 'Vitamin K', 'Vitamine K'],
    'broccoli',
    120,
    5,
    'VitaminK',
    'vitaminK'
  )
])
