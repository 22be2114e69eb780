/** Lists all formats. The first format that recognises a file reads it, so stricter formats come first. */
import type { ArchiveFormat, Format, FileHead } from '../record.js'
import type { DatabaseFormat } from '../sqlite/database.js'
import { appleEcg } from './apple/ecg.js'
import { appleHealth } from './apple/health.js'
import { cofferArchive } from './coffer-archive.js'
import { cofferEvents } from './coffer-events.js'
import { ical } from './calendar/ical.js'
import { csv } from './csv.js'
import { appleCda, cda } from './clinical/cda.js'
import { fhir } from './clinical/fhir.js'
import { healthCard } from './clinical/health-card.js'
import { fit } from './fit/fit.js'
import { fitbit } from './vendors/fitbit.js'
import { garminConnect } from './vendors/garmin-connect.js'
import { gadgetbridge } from './sqlite/gadgetbridge.js'
import { googleFit } from './google/fit.js'
import { googleLocation } from './google/location.js'
import { healthAutoExport } from './vendors/health-auto-export.js'
import { healthConnect } from './sqlite/health-connect.js'
import { nightscout } from './vendors/nightscout.js'
import { openMhealth } from './vendors/open-mhealth.js'
import { oura } from './vendors/oura.js'
import { polarCsv } from './vendors/polar-csv.js'
import { sleepAsAndroid } from './vendors/sleep-as-android.js'
import { geojson } from './tracks/geojson.js'
import { gpx } from './tracks/gpx.js'
import { kml } from './tracks/kml.js'
import { owntracks } from './tracks/owntracks.js'
import { polar } from './tracks/polar.js'
import { suunto } from './tracks/suunto.js'
import { tcx } from './tracks/tcx.js'
import { withings } from './vendors/withings.js'

export const formats: readonly Format[] = [
  fit,
  cofferEvents,
  appleHealth,
  appleCda,
  cda,
  ical,
  gpx,
  tcx,
  kml,
  fhir,
  healthCard,
  openMhealth,
  healthAutoExport,
  nightscout,
  geojson,
  owntracks,
  polar,
  suunto,
  googleFit,
  googleLocation,
  fitbit,
  garminConnect,
  oura,
  withings,
  polarCsv,
  sleepAsAndroid,
  appleEcg,
  csv
]

/** Formats of archives that are read as a whole. */
export const archiveFormats: readonly ArchiveFormat[] = [cofferArchive]

/** Formats of SQLite databases. */
export const databaseFormats: readonly DatabaseFormat[] = [gadgetbridge, healthConnect]

/** Returns the format of a file; `undefined` if no format recognises it. */
export function findFormat(head: FileHead): Format | undefined {
  return formats.find(format => format.recognises(head))
}
