/** Symptoms, rated by their severity, and other observations of how the body works. */
import { appetiteChanges, severities, stoolForms } from '../rows/choices.js'
import { createRow, inCategory, type NameList, type Row } from '../rows/create-row.js'

interface SymptomCodes {
  readonly snomed?: string
  /** Without the common prefix. */
  readonly healthKit?: string
  /** Without the prefix `symptom-` and the suffix `-severity`. */
  readonly hds?: string
}

/** Builds a symptom, rated by its severity. */
function createSymptom(
  id: string,
  names: NameList,
  icon: string,
  hue: number,
  { hds, healthKit, snomed }: SymptomCodes = {}
): Row {
  const codes = {
    ...(snomed !== undefined && { snomed: [snomed] }),
    ...(healthKit !== undefined && { healthKit: [`HKCategoryTypeIdentifier${healthKit}`] }),
    ...(hds !== undefined && { hds: [`symptom-${hds}-severity`] })
  }
  return createRow(id, names, icon, hue, 'category', ['symptoms/severity'], {
    choices: severities,
    ...(Object.keys(codes).length > 0 && { codes })
  })
}

export const symptoms = inCategory('symptoms', [
  createSymptom('pain', ['Pain', 'Schmerzen', 'Douleur'], 'zap', 0, { snomed: '22253000', hds: 'pain' }),
  createRow(
    'pain-score',
    ['Pain score', 'Schmerzstärke', 'Intensité de la douleur'],
    'gauge',
    0,
    'level',
    ['count/generic'],
    {
      plausible: [0, 10],
      possible: [0, 10],
      codes: { loinc: ['72514-3'], snomed: ['225908003'] }
    }
  ),
  createSymptom('headache', ['Headache', 'Kopfschmerzen', 'Maux de tête'], 'brain', 270, {
    snomed: '25064002',
    healthKit: 'Headache',
    hds: 'pain-headache'
  }),
  createSymptom('migraine', ['Migraine', 'Migräne', 'Migraine'], 'brain', 300, {
    snomed: '37796009',
    hds: 'pain-migraine'
  }),
  createSymptom('back-pain', ['Back pain', 'Rückenschmerzen', 'Mal de dos'], 'bone', 30, {
    snomed: '161891005',
    healthKit: 'LowerBackPain',
    hds: 'pain-backache'
  }),
  createSymptom('joint-pain', ['Joint pain', 'Gelenkschmerzen', 'Douleurs articulaires'], 'bone', 345, {
    snomed: '57676002'
  }),
  createSymptom('body-ache', ['Body aches', 'Gliederschmerzen', 'Courbatures'], 'person-standing', 15, {
    healthKit: 'GeneralizedBodyAche'
  }),
  createSymptom(
    'chest-pain',
    ['Chest tightness or pain', 'Engegefühl oder Schmerzen in der Brust', 'Oppression ou douleur thoracique'],
    'heart-crack',
    5,
    { healthKit: 'ChestTightnessOrPain' }
  ),
  createSymptom(
    'abdominal-cramps',
    ['Abdominal cramps', 'Bauchkrämpfe', 'Crampes abdominales'],
    'circle-dot',
    20,
    { snomed: '21522001', healthKit: 'AbdominalCramps', hds: 'gastrointestinal-cramps' }
  ),
  createSymptom(
    'pelvic-pain',
    ['Pelvic pain', 'Unterleibsschmerzen', 'Douleurs pelviennes'],
    'circle-dot',
    330,
    { snomed: '274671002', healthKit: 'PelvicPain', hds: 'pain-pelvic' }
  ),
  createSymptom('breast-pain', ['Breast pain', 'Brustspannen', 'Douleurs mammaires'], 'circle-dot', 350, {
    snomed: '290077003',
    healthKit: 'BreastPain',
    hds: 'pain-sore-breasts'
  }),
  createSymptom('nausea', ['Nausea', 'Übelkeit', 'Nausées'], 'annoyed', 110, {
    snomed: '422587007',
    healthKit: 'Nausea',
    hds: 'gastrointestinal-nausea'
  }),
  createSymptom('vomiting', ['Vomiting', 'Erbrechen', 'Vomissements'], 'annoyed', 85, {
    snomed: '422400008',
    healthKit: 'Vomiting'
  }),
  createSymptom('diarrhoea', ['Diarrhoea', 'Durchfall', 'Diarrhée'], 'toilet', 40, {
    snomed: '62315008',
    healthKit: 'Diarrhea',
    hds: 'gastrointestinal-diarrhea'
  }),
  createSymptom('constipation', ['Constipation', 'Verstopfung', 'Constipation'], 'toilet', 20, {
    snomed: '14760008',
    healthKit: 'Constipation',
    hds: 'gastrointestinal-constipation'
  }),
  createSymptom('bloating', ['Bloating', 'Blähungen', 'Ballonnements'], 'circle-gauge', 60, {
    snomed: '116289008',
    healthKit: 'Bloating',
    hds: 'gastrointestinal-bloating'
  }),
  createSymptom('heartburn', ['Heartburn', 'Sodbrennen', 'Brûlures d’estomac'], 'flame', 25, {
    snomed: '16331000',
    healthKit: 'Heartburn'
  }),
  createRow(
    'appetite',
    ['Appetite changes', 'Veränderter Appetit', 'Modification de l’appétit'],
    'utensils',
    45,
    'category',
    ['symptoms/appetite-changes'],
    {
      isDefault: true,
      choices: appetiteChanges,
      codes: { healthKit: ['HKCategoryTypeIdentifierAppetiteChanges'], hds: ['nutrition-appetite'] }
    }
  ),
  createSymptom('fatigue', ['Fatigue', 'Müdigkeit', 'Fatigue'], 'battery-low', 250, {
    snomed: '84229001',
    healthKit: 'Fatigue',
    hds: 'general-fatigue'
  }),
  createSymptom('fever', ['Fever', 'Fieber', 'Fièvre'], 'thermometer', 5, {
    snomed: '386661006',
    healthKit: 'Fever'
  }),
  createSymptom('chills', ['Chills', 'Schüttelfrost', 'Frissons'], 'snowflake', 200, {
    snomed: '43724002',
    healthKit: 'Chills',
    hds: 'thermoregulation-chills'
  }),
  createSymptom(
    'hot-flushes',
    ['Hot flushes', 'Hitzewallungen', 'Bouffées de chaleur'],
    'thermometer-sun',
    15,
    { healthKit: 'HotFlashes', hds: 'thermoregulation-hot-flashes' }
  ),
  createSymptom('night-sweats', ['Night sweats', 'Nachtschweiß', 'Sueurs nocturnes'], 'droplets', 230, {
    snomed: '42984000',
    healthKit: 'NightSweats',
    hds: 'thermoregulation-night-sweats'
  }),
  createSymptom('cough', ['Cough', 'Husten', 'Toux'], 'wind', 160, {
    snomed: '49727002',
    healthKit: 'Coughing',
    hds: 'respiratory-cough'
  }),
  createSymptom('sore-throat', ['Sore throat', 'Halsschmerzen', 'Mal de gorge'], 'mic-vocal', 355, {
    snomed: '162397003',
    healthKit: 'SoreThroat',
    hds: 'respiratory-sore-throat'
  }),
  createSymptom('runny-nose', ['Runny nose', 'Laufende Nase', 'Nez qui coule'], 'droplet', 190, {
    snomed: '64531003',
    healthKit: 'RunnyNose',
    hds: 'respiratory-rhinorrhea'
  }),
  createSymptom(
    'sinus-congestion',
    ['Sinus congestion', 'Verstopfte Nebenhöhlen', 'Congestion des sinus'],
    'cloud-fog',
    180,
    { healthKit: 'SinusCongestion' }
  ),
  createSymptom('allergy', ['Allergy symptoms', 'Allergiebeschwerden', 'Symptômes d’allergie'], 'flower', 65),
  createSymptom('shortness-of-breath', ['Shortness of breath', 'Atemnot', 'Essoufflement'], 'wind', 215, {
    snomed: '267036007',
    healthKit: 'ShortnessOfBreath',
    hds: 'respiratory-dyspnea'
  }),
  createSymptom('wheezing', ['Wheezing', 'Pfeifende Atmung', 'Respiration sifflante'], 'wind', 235, {
    snomed: '56018004',
    healthKit: 'Wheezing',
    hds: 'respiratory-wheezing'
  }),
  createSymptom(
    'palpitations',
    ['Palpitations', 'Herzklopfen oder Herzrasen', 'Palpitations'],
    'heart-pulse',
    345,
    { snomed: '80313002', healthKit: 'RapidPoundingOrFlutteringHeartbeat', hds: 'cardiac-palpitations' }
  ),
  createSymptom(
    'skipped-heartbeat',
    ['Skipped heartbeats', 'Herzstolpern', 'Battements manqués'],
    'heart',
    325,
    { snomed: '248629002', healthKit: 'SkippedHeartbeat', hds: 'cardiac-skipped-beat' }
  ),
  createSymptom('dizziness', ['Dizziness', 'Schwindel', 'Vertiges'], 'orbit', 285, {
    snomed: '404640003',
    healthKit: 'Dizziness',
    hds: 'neurological-dizziness'
  }),
  createSymptom('fainting', ['Fainting', 'Ohnmacht', 'Évanouissement'], 'circle-off', 250, {
    snomed: '271594007',
    healthKit: 'Fainting'
  }),
  createSymptom('memory-lapse', ['Memory lapses', 'Gedächtnislücken', 'Trous de mémoire'], 'brain', 225, {
    healthKit: 'MemoryLapse'
  }),
  createSymptom(
    'sleep-changes',
    ['Changes in sleep', 'Veränderter Schlaf', 'Changements du sommeil'],
    'moon',
    265,
    { healthKit: 'SleepChanges' }
  ),
  createSymptom('mood-changes', ['Mood changes', 'Stimmungsschwankungen', 'Sautes d’humeur'], 'smile', 310, {
    healthKit: 'MoodChanges'
  }),
  createSymptom(
    'loss-of-smell',
    ['Loss of smell', 'Verlust des Geruchssinns', 'Perte de l’odorat'],
    'flower-2',
    95,
    { snomed: '44169009', healthKit: 'LossOfSmell' }
  ),
  createSymptom(
    'loss-of-taste',
    ['Loss of taste', 'Verlust des Geschmackssinns', 'Perte du goût'],
    'utensils',
    330,
    { snomed: '36955009', healthKit: 'LossOfTaste' }
  ),
  createSymptom('acne', ['Acne', 'Akne', 'Acné'], 'scan-face', 15, { snomed: '11381005', healthKit: 'Acne' }),
  createSymptom('dry-skin', ['Dry skin', 'Trockene Haut', 'Peau sèche'], 'hand', 35, {
    snomed: '16386004',
    healthKit: 'DrySkin'
  }),
  createSymptom('rash', ['Rash', 'Hautausschlag', 'Éruption cutanée'], 'hand', 350, {
    snomed: '271807003',
    hds: 'dermatological-rash'
  }),
  createSymptom('itching', ['Itching', 'Juckreiz', 'Démangeaisons'], 'hand', 60, {
    snomed: '418290006',
    hds: 'dermatological-itching'
  }),
  createSymptom('hair-loss', ['Hair loss', 'Haarausfall', 'Chute de cheveux'], 'scissors', 30, {
    snomed: '278040002',
    healthKit: 'HairLoss',
    hds: 'dermatological-hair-loss'
  }),
  createSymptom(
    'bladder-incontinence',
    ['Bladder incontinence', 'Blasenschwäche', 'Incontinence urinaire'],
    'toilet',
    210,
    { healthKit: 'BladderIncontinence' }
  ),
  createSymptom(
    'vaginal-dryness',
    ['Vaginal dryness', 'Scheidentrockenheit', 'Sécheresse vaginale'],
    'droplet-off',
    320,
    { healthKit: 'VaginalDryness' }
  ),
  createRow(
    'stool-form',
    ['Stool form (Bristol scale)', 'Stuhlform (Bristol-Skala)', 'Forme des selles (échelle de Bristol)'],
    'toilet',
    50,
    'category',
    ['count/generic'],
    {
      plausible: [1, 7],
      possible: [1, 7],
      choices: stoolForms
    }
  ),
  createRow(
    'bowel-movements',
    ['Bowel movements', 'Stuhlgänge', 'Selles'],
    'toilet',
    75,
    'sum',
    ['count/generic'],
    {
      plausible: [0, 15],
      possible: [0, 200]
    }
  )
])
