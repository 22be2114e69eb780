/** All formats that can be read. The first that recognises a file reads it: those that look more closely come first. */
import type { ArchiveFormat, Format, Head } from '../record.js'
import { appleEcg } from './apple/ecg.js'
import { appleHealth } from './apple/health.js'
import { cofferArchive } from './coffer-archive.js'
import { cofferEvents } from './coffer-events.js'
import { ical } from './calendar/ical.js'
import { csv } from './csv.js'
import { appleCda, cda } from './clinical/cda.js'
import { fhir } from './clinical/fhir.js'
import { fit } from './fit/fit.js'
import { fitbit } from './vendors/fitbit.js'
import { garminConnect } from './vendors/garmin-connect.js'
import { googleFit } from './google/fit.js'
import { googleLocation } from './google/location.js'
import { nightscout } from './vendors/nightscout.js'
import { openMhealth } from './vendors/open-mhealth.js'
import { oura } from './vendors/oura.js'
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
  openMhealth,
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
  appleEcg,
  csv
]

/** Formats of archives whose files belong together. */
export const archiveFormats: readonly ArchiveFormat[] = [cofferArchive]

/** The format of a file; `undefined` if it is of none of them. */
export function formatOf(head: Head): Format | undefined {
  return formats.find(format => format.recognises(head))
}
