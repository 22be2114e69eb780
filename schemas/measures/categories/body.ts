/** Measures of the body: mass, size, composition, temperature, and what hardly changes. */
import { bloodTypes, sexes, skinTypes } from '../rows/choices.js'
import { createRow, inCategory, type NameList, type Row } from '../rows/create-row.js'
import { bodyMass, height, lengths, masses, temperature, temperatures } from '../rows/units.js'

/** Builds the mass of a part of the body (kg), with the largest plausible one. */
function createMass(id: string, names: NameList, hue: number, largest: number, others: Partial<Row>): Row {
  const ranges = { plausible: [0, largest], possible: [0, 700] } as const
  return createRow(id, names, 'weight', hue, 'level', masses, { unit: bodyMass, ...ranges, ...others })
}

/** Builds the share of a part of the body (percent). */
function createShare(
  id: string,
  names: NameList,
  icon: string,
  hue: number,
  plausible: readonly [number, number],
  codes?: Row['codes']
): Row {
  return createRow(id, names, icon, hue, 'level', ['ratio/percent'], {
    plausible,
    possible: [0, 100],
    ...(codes && { codes })
  })
}

/** Builds the circumference of a part of the body (cm). */
function createGirth(
  id: string,
  names: NameList,
  hue: number,
  plausible: readonly [number, number],
  codes?: Row['codes']
): Row {
  return createRow(id, names, 'circle-dashed', hue, 'level', lengths, {
    unit: height,
    plausible,
    possible: [1, 350],
    ...(codes && { codes })
  })
}

export const body = inCategory('body', [
  createRow('weight', ['Weight', 'Gewicht', 'Poids'], 'weight', 215, 'level', masses, {
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
  }),
  createRow('height', ['Height', 'Körpergröße', 'Taille'], 'ruler', 190, 'level', lengths, {
    unit: height,
    plausible: [40, 220],
    possible: [15, 280],
    codes: {
      loinc: ['8302-2'],
      snomed: ['50373000'],
      healthKit: ['HKQuantityTypeIdentifierHeight'],
      healthConnect: ['HeightRecord'],
      hds: ['body-height']
    }
  }),
  createRow(
    'body-mass-index',
    ['Body mass index', 'Body-Mass-Index', 'Indice de masse corporelle'],
    'scale',
    230,
    'level',
    ['pressure/kg-m2'],
    {
      isDefault: true,
      plausible: [12, 60],
      possible: [4, 250],
      normal: [18.5, 24.9],
      normalSource: 'WHO Technical Report Series 894, 2000',
      codes: {
        loinc: ['39156-5'],
        snomed: ['60621009'],
        healthKit: ['HKQuantityTypeIdentifierBodyMassIndex']
      }
    }
  ),
  createRow(
    'body-temperature',
    ['Body temperature', 'Körpertemperatur', 'Température corporelle'],
    'thermometer',
    20,
    'level',
    temperatures,
    {
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
  ),
  createRow(
    'skin-temperature',
    ['Skin temperature', 'Hauttemperatur', 'Température cutanée'],
    'thermometer-sun',
    35,
    'level',
    temperatures,
    { unit: temperature, plausible: [20, 40], possible: [-30, 60] }
  ),
  createRow(
    'wrist-temperature',
    ['Wrist temperature', 'Temperatur am Handgelenk', 'Température au poignet'],
    'watch',
    50,
    'level',
    temperatures,
    {
      unit: temperature,
      plausible: [30, 40],
      possible: [-30, 60],
      codes: { healthKit: ['HKQuantityTypeIdentifierAppleSleepingWristTemperature'] }
    }
  ),
  createShare('body-fat', ['Body fat', 'Körperfettanteil', 'Taux de masse grasse'], 'percent', 45, [3, 60], {
    loinc: ['41982-0'],
    healthKit: ['HKQuantityTypeIdentifierBodyFatPercentage'],
    healthConnect: ['BodyFatRecord']
  }),
  createShare(
    'body-water-share',
    ['Body water percentage', 'Körperwasseranteil', 'Taux d’eau corporelle'],
    'droplets',
    200,
    [30, 80]
  ),
  createShare(
    'muscle-share',
    ['Muscle percentage', 'Muskelanteil', 'Taux de masse musculaire'],
    'biceps-flexed',
    355,
    [15, 65]
  ),
  createMass('fat-mass', ['Fat mass', 'Fettmasse', 'Masse grasse'], 45, 150, {}),
  createMass('lean-body-mass', ['Lean body mass', 'Fettfreie Körpermasse', 'Masse maigre'], 335, 130, {
    codes: { healthKit: ['HKQuantityTypeIdentifierLeanBodyMass'], healthConnect: ['LeanBodyMassRecord'] }
  }),
  createMass('muscle-mass', ['Muscle mass', 'Muskelmasse', 'Masse musculaire'], 355, 100, {}),
  createMass(
    'skeletal-muscle-mass',
    ['Skeletal muscle mass', 'Skelettmuskelmasse', 'Masse musculaire squelettique'],
    10,
    80,
    { icon: 'biceps-flexed' }
  ),
  createMass('bone-mass', ['Bone mass', 'Knochenmasse', 'Masse osseuse'], 30, 10, {
    icon: 'bone',
    codes: { healthConnect: ['BoneMassRecord'] }
  }),
  createMass('body-water', ['Body water', 'Körperwasser', 'Eau corporelle'], 215, 100, {
    icon: 'droplets',
    codes: { healthConnect: ['BodyWaterMassRecord'] }
  }),
  createMass(
    'visceral-fat-mass',
    ['Visceral fat mass', 'Viszerale Fettmasse', 'Masse de graisse viscérale'],
    60,
    20,
    {}
  ),
  createGirth('waist', ['Waist circumference', 'Taillenumfang', 'Tour de taille'], 275, [40, 180], {
    loinc: ['8280-0'],
    snomed: ['276361009'],
    healthKit: ['HKQuantityTypeIdentifierWaistCircumference']
  }),
  createGirth('hips', ['Hip circumference', 'Hüftumfang', 'Tour de hanches'], 290, [40, 200]),
  createGirth('chest', ['Chest circumference', 'Brustumfang', 'Tour de poitrine'], 305, [40, 180]),
  createGirth('upper-arm', ['Upper arm circumference', 'Oberarmumfang', 'Tour de bras'], 320, [10, 70]),
  createGirth('thigh', ['Thigh circumference', 'Oberschenkelumfang', 'Tour de cuisse'], 335, [20, 110]),
  createGirth('neck', ['Neck circumference', 'Halsumfang', 'Tour de cou'], 260, [15, 70]),
  createGirth('head', ['Head circumference', 'Kopfumfang', 'Périmètre crânien'], 245, [25, 70], {
    loinc: ['9843-4'],
    snomed: ['363812007']
  }),
  createRow(
    'basal-metabolic-rate',
    ['Basal metabolic rate', 'Grundumsatz', 'Métabolisme de base'],
    'flame-kindling',
    15,
    'level',
    ['energy/kcal', 'energy/j'],
    {
      unit: { shown: 'energy/kcal', offered: ['energy/kcal'] },
      plausible: [500, 4000],
      possible: [50, 15_000]
    }
  ),
  createRow(
    'basal-metabolic-power',
    ['Basal metabolic rate (watts)', 'Grundumsatz (Watt)', 'Métabolisme de base (watts)'],
    'flame-kindling',
    0,
    'level',
    ['power/w'],
    { plausible: [25, 200], possible: [2, 700], codes: { healthConnect: ['BasalMetabolicRateRecord'] } }
  ),
  createRow(
    'metabolic-age',
    ['Metabolic age', 'Metabolisches Alter', 'Âge métabolique'],
    'hourglass',
    70,
    'level',
    ['time/y'],
    { plausible: [10, 100], possible: [0, 150] }
  ),
  createRow(
    'electrodermal-activity',
    ['Electrodermal activity', 'Hautleitfähigkeit', 'Activité électrodermale'],
    'zap',
    55,
    'level',
    ['electrical-conductivity/us'],
    {
      isDefault: true,
      plausible: [0, 60],
      possible: [0, 10_000],
      codes: { healthKit: ['HKQuantityTypeIdentifierElectrodermalActivity'] }
    }
  ),
  createRow(
    'hearing-test',
    ['Hearing test', 'Hörtest', 'Test auditif'],
    'ear',
    175,
    'text',
    ['audiogram/data'],
    {
      isDefault: true,
      codes: { healthKit: ['HKDataTypeIdentifierAudiogram'] }
    }
  ),
  createRow(
    'blood-type',
    ['Blood type', 'Blutgruppe', 'Groupe sanguin'],
    'droplet',
    0,
    'category',
    ['attributes/blood-type'],
    {
      isDefault: true,
      choices: bloodTypes,
      codes: { healthKit: ['HKCharacteristicTypeIdentifierBloodType'] }
    }
  ),
  createRow(
    'biological-sex',
    ['Biological sex', 'Biologisches Geschlecht', 'Sexe biologique'],
    'user',
    300,
    'category',
    ['attributes/biological-sex'],
    {
      isDefault: true,
      choices: sexes,
      codes: { healthKit: ['HKCharacteristicTypeIdentifierBiologicalSex'], hds: ['profile-sex'] }
    }
  ),
  createRow(
    'skin-type',
    ['Skin type', 'Hauttyp', 'Type de peau'],
    'sun',
    40,
    'category',
    ['attributes/skin-type'],
    {
      isDefault: true,
      choices: skinTypes,
      codes: { healthKit: ['HKCharacteristicTypeIdentifierFitzpatrickSkinType'] }
    }
  )
])
