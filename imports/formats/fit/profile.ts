/** Numbers of FIT's messages and fields that are read. (Garmin's public profile) */

/** Global message numbers. */
export const messageNumbers = {
  fileId: 0,
  session: 18,
  record: 20,
  weightScale: 30,
  bloodPressure: 51,
  monitoring: 55,
  hrv: 78,
  heartRates: 132,
  monitoringHeartRates: 211,
  maxMet: 229,
  oxygen: 269,
  sleepLevel: 275,
  beatIntervals: 290,
  respiration: 297,
  hrvSummary: 370,
  hrvValue: 371
} as const

/** The timestamp in all messages. */
export const timestampField = 253

export const fileFields = { type: 0, manufacturer: 1, product: 2, serialNumber: 3, productName: 8 } as const
/** Type of a file that contains a planned course. */
export const courseFile = 6

export const recordFields = {
  latitude: 0,
  longitude: 1,
  altitude: 2,
  heartRate: 3,
  cadence: 4,
  distance: 5,
  speed: 6,
  power: 7,
  temperature: 13,
  accuracy: 31,
  fractionalCadence: 53,
  enhancedSpeed: 73,
  enhancedAltitude: 78,
  respiration: 99,
  enhancedRespiration: 108
} as const

export const sessionFields = {
  startTime: 2,
  sport: 5,
  elapsedTime: 7,
  distance: 9,
  cycles: 10,
  calories: 11,
  averageHeartRate: 16,
  maximalHeartRate: 17,
  averageCadence: 18,
  maximalCadence: 19,
  averagePower: 20,
  maximalPower: 21,
  ascent: 22,
  descent: 23,
  laps: 26,
  profileName: 110
} as const

/** The type of the heart rate and the profile of the user are not read. */
export const pressureFields = {
  systolic: 0,
  diastolic: 1,
  heartRate: 6,
  heartRateType: 7,
  status: 8,
  userProfile: 9
} as const

export const hrvFields = { intervals: 0 } as const
export const beatIntervalFields = { milliseconds: 0, intervals: 1 } as const
export const heartRateFields = {
  fractionalTime: 0,
  filteredRates: 6,
  eventTimes: 9,
  packedEventTimes: 10
} as const
export const sleepFields = { level: 0 } as const

export const monitoringFields = {
  device: 0,
  calories: 1,
  distance: 2,
  cycles: 3,
  activeTime: 4,
  activityType: 5,
  localTime: 11,
  temperature: 12,
  activeCalories: 19,
  typeAndIntensity: 24,
  lowTimeBits: 26,
  heartRate: 27
} as const
