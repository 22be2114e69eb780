/** HealthKit's kinds by the names that Health Auto Export gives to its metrics, with the units in which Apple's export writes them. */

/** A kind of HealthKit, without its prefix, and a unit of the type in which its values are stored. */
export interface MetricKind {
  readonly kind: string
  readonly unit: string
  /** True if many values a day are usual. */
  readonly isFrequent: boolean
}

/** Names and kinds by unit. Nutrients follow below. */
const kindsByUnit: Readonly<Record<string, string>> = {
  count:
    'step_count StepCount, flights_climbed FlightsClimbed, wheelchair_push_count PushCount, ' +
    'swim_stroke_count SwimmingStrokeCount, inhaler_usage InhalerUsage, number_of_time_fallen NumberOfTimesFallen, ' +
    'number_of_times_fallen NumberOfTimesFallen, number_of_alcoholic_beverages NumberOfAlcoholicBeverages, ' +
    'uv_exposure UVExposure, body_mass_index BodyMassIndex, breathing_disturbances AppleSleepingBreathingDisturbances',
  'count/min':
    'heart_rate HeartRate, resting_heart_rate RestingHeartRate, walking_heart_rate WalkingHeartRateAverage, ' +
    'walking_heart_rate_average WalkingHeartRateAverage, cardio_recovery HeartRateRecoveryOneMinute, ' +
    'respiratory_rate RespiratoryRate, cycling_cadence CyclingCadence',
  km:
    'walking_running_distance DistanceWalkingRunning, cycling_distance DistanceCycling, ' +
    'wheelchair_distance DistanceWheelchair, downhill_snow_sports DistanceDownhillSnowSports',
  m:
    'swimming_distance DistanceSwimming, six_minute_walking_test_distance SixMinuteWalkTestDistance, ' +
    'under_water_depth UnderwaterDepth, underwater_depth UnderwaterDepth, running_stride_length RunningStrideLength',
  cm:
    'height Height, waist_circumference WaistCircumference, walking_step_length WalkingStepLength, ' +
    'running_vertical_oscillation RunningVerticalOscillation',
  kg: 'weight_body_mass BodyMass, lean_body_mass LeanBodyMass',
  kcal:
    'active_energy ActiveEnergyBurned, basal_energy_burned BasalEnergyBurned, resting_energy BasalEnergyBurned, ' +
    'dietary_energy DietaryEnergyConsumed',
  ms: 'heart_rate_variability HeartRateVariabilitySDNN, running_ground_contact_time RunningGroundContactTime',
  min:
    'apple_exercise_time AppleExerciseTime, apple_move_time AppleMoveTime, apple_stand_time AppleStandTime, ' +
    'time_in_daylight TimeInDaylight',
  '%':
    'body_fat_percentage BodyFatPercentage, blood_oxygen_saturation OxygenSaturation, ' +
    'walking_asymmetry_percentage WalkingAsymmetryPercentage, ' +
    'walking_double_support_percentage WalkingDoubleSupportPercentage, apple_walking_steadiness AppleWalkingSteadiness, ' +
    'blood_alcohol_content BloodAlcoholContent, peripheral_perfusion_index PeripheralPerfusionIndex, ' +
    'atrial_fibrillation_burden AtrialFibrillationBurden',
  degC:
    'body_temperature BodyTemperature, basal_body_temperature BasalBodyTemperature, ' +
    'apple_sleeping_wrist_temperature AppleSleepingWristTemperature, under_water_temperature WaterTemperature',
  'km/hr': 'walking_speed WalkingSpeed, running_speed RunningSpeed, cycling_speed CyclingSpeed',
  'm/s': 'stair_speed_up StairAscentSpeed, stair_speed_down StairDescentSpeed',
  W:
    'running_power RunningPower, cycling_power CyclingPower, ' +
    'cycling_functional_threshold_power CyclingFunctionalThresholdPower',
  L: 'forced_expiratory_volume ForcedExpiratoryVolume1, forced_vital_capacity ForcedVitalCapacity',
  'L/min': 'peak_expiratory_flow_rate PeakExpiratoryFlowRate',
  dBASPL:
    'environmental_audio EnvironmentalAudioExposure, environmental_audio_exposure EnvironmentalAudioExposure, ' +
    'headphone_audio HeadphoneAudioExposure, headphone_audio_exposure HeadphoneAudioExposure',
  'mL/min·kg': 'vo2_max VO2Max, vo2max VO2Max',
  'mmol<180.1558800000541>/L': 'blood_glucose BloodGlucose',
  IU: 'insulin_delivery InsulinDelivery',
  mcS: 'electrodermal_activity ElectrodermalActivity',
  mL: 'dietary_water DietaryWater',
  g:
    'carbohydrates DietaryCarbohydrates, fiber DietaryFiber, dietary_sugar DietarySugar, protein DietaryProtein, ' +
    'total_fat DietaryFatTotal, saturated_fat DietaryFatSaturated, monosaturated_fat DietaryFatMonounsaturated, ' +
    'monounsaturated_fat DietaryFatMonounsaturated, polyunsaturated_fat DietaryFatPolyunsaturated',
  mg:
    'cholesterol DietaryCholesterol, caffeine DietaryCaffeine, calcium DietaryCalcium, chloride DietaryChloride, ' +
    'copper DietaryCopper, iron DietaryIron, magnesium DietaryMagnesium, manganese DietaryManganese, ' +
    'niacin DietaryNiacin, pantothenic_acid DietaryPantothenicAcid, potassium DietaryPotassium, ' +
    'riboflavin DietaryRiboflavin, sodium DietarySodium, thiamin DietaryThiamin, vitamin_b6 DietaryVitaminB6, ' +
    'vitamin_c DietaryVitaminC, vitamin_e DietaryVitaminE, zinc DietaryZinc, phosphorus DietaryPhosphorus',
  mcg:
    'biotin DietaryBiotin, chromium DietaryChromium, folate DietaryFolate, iodine DietaryIodine, ' +
    'molybdenum DietaryMolybdenum, selenium DietarySelenium, vitamin_a DietaryVitaminA, ' +
    'vitamin_b12 DietaryVitaminB12, vitamin_d DietaryVitaminD, vitamin_k DietaryVitaminK'
}

/** Metrics that a watch measures all day. */
const frequentNames: ReadonlySet<string> = new Set([
  'step_count',
  'heart_rate',
  'active_energy',
  'basal_energy_burned',
  'resting_energy',
  'walking_running_distance'
])

/** By the name of the metric. Names of nutrients may begin with `dietary_`. */
export const metricKinds: ReadonlyMap<string, MetricKind> = new Map(
  Object.entries(kindsByUnit).flatMap(([unit, list]) =>
    list.split(', ').flatMap(each => {
      const [name = '', kind = ''] = each.split(' ')
      const metric = { kind, unit, isFrequent: frequentNames.has(name) }
      const isNutrient = kind.startsWith('Dietary') && !name.startsWith('dietary_')
      return [[name, metric] as const, ...(isNutrient ? [[`dietary_${name}`, metric] as const] : [])]
    })
  )
)

/** Metrics that are stored only if the user has asked for data on sexual and reproductive health. */
export const sensitiveMetrics: ReadonlySet<string> = new Set(['sexual_activity'])

/** Values of HealthKit's sleep analysis, by the word that the app writes. */
export const sleepValues: ReadonlyMap<string, string> = new Map([
  ['in bed', 'InBed'],
  ['inbed', 'InBed'],
  ['asleep', 'AsleepUnspecified'],
  ['unspecified', 'AsleepUnspecified'],
  ['core', 'AsleepCore'],
  ['deep', 'AsleepDeep'],
  ['rem', 'AsleepREM'],
  ['awake', 'Awake']
])
